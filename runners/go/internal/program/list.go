package program

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"ciphermark/runner/internal/provider"
)

// list describes the program and its implementations.
func (s *server) list() {
	version := strings.TrimPrefix(runtime.Version(), "go")
	for _, fact := range [][2]string{
		{"provider", provider.Name}, {"language", "Go"}, {"language_version", "go " + version},
		{"compiler", runtime.Compiler}, {"compiler_version", version}, {"flags", flags()}, {"link", provider.Link},
		{"target", target()},
	} {
		if fact[1] != "" {
			fmt.Fprintln(s.out, fact[0], fact[1])
		}
	}
	truth := map[bool]int{true: 1}
	for _, one := range provider.Implementations() {
		limit := "-"
		if one.MaxMessageBytes != math.MaxUint64 {
			limit = strconv.FormatUint(one.MaxMessageBytes, 10)
		}
		fmt.Fprintln(s.out, "implementation", one.Algorithm, one.Variant, one.Kind, one.KeyBytes, one.NonceBytes,
			one.TagBytes, one.BlockBytes, truth[one.WholeBlocksOnly], truth[one.ConstantTime], truth[one.Default], limit,
			one.Source)
	}
	fmt.Fprintln(s.out, "end")
}

// target returns the processor by the name that the kernel has for it.
func target() string {
	processor := runtime.GOARCH
	switch processor {
	case "amd64":
		processor = "x86_64"
	case "arm64":
		processor = "aarch64"
	}
	return processor + "-" + runtime.GOOS
}

// flags returns what the program was compiled with other than by default.
func flags() string {
	info, found := debug.ReadBuildInfo()
	if !found {
		return ""
	}
	var given []string
	for _, setting := range info.Settings {
		if setting.Key == "-gcflags" || setting.Key == "-ldflags" || setting.Key == "GOAMD64" || setting.Key == "GOARM" {
			given = append(given, setting.Key+"="+setting.Value)
		}
	}
	return strings.Join(given, " ")
}
