package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"runtime/debug"
	"strings"

	"ciphermark/runner/internal/knownanswers"
	"ciphermark/runner/internal/provider"
)

type buildFacts struct {
	Language        string  `json:"language"`
	LanguageVersion string  `json:"language_version"`
	Compiler        string  `json:"compiler"`
	CompilerVersion string  `json:"compiler_version"`
	Flags           string  `json:"flags"`
	Optimization    *string `json:"optimization"`
	Link            string  `json:"link"`
	Target          string  `json:"target"`
	HeadersVersion  string  `json:"headers_version"`
	Planted         *string `json:"planted"`
}

type listed struct {
	Algorithm       string        `json:"algorithm"`
	Variant         string        `json:"variant"`
	Kind            provider.Kind `json:"kind"`
	KeyBytes        int           `json:"key_bytes"`
	NonceBytes      int           `json:"nonce_bytes"`
	TagBytes        int           `json:"tag_bytes"`
	BlockBytes      int           `json:"block_bytes"`
	WholeBlocksOnly bool          `json:"whole_blocks_only"`
	ConstantTime    bool          `json:"constant_time"`
	Default         bool          `json:"default"`
	Available       bool          `json:"available"`
	Reason          *string       `json:"reason"`
	Requires        []string      `json:"requires"`
	Masking         *string       `json:"masking"`
	Source          string        `json:"source"`
	VectorsSHA256   string        `json:"vectors_sha256"`
}

// list describes the implementations and the build. An algorithm without vectors fails here.
func list(call invocation) error {
	implementations := []listed{}
	for _, one := range provider.Implementations() {
		text, err := knownanswers.Text(one.Algorithm)
		if err != nil {
			return err
		}
		digest := sha256.Sum256(text)
		implementations = append(implementations, listed{
			Algorithm: one.Algorithm, Variant: one.Variant, Kind: one.Kind, KeyBytes: one.KeyBytes,
			NonceBytes: one.NonceBytes, TagBytes: one.TagBytes, BlockBytes: one.BlockBytes,
			WholeBlocksOnly: one.WholeBlocksOnly, ConstantTime: one.ConstantTime, Default: one.Default,
			Available: true, Requires: []string{}, Source: one.Source, VectorsSHA256: hex.EncodeToString(digest[:]),
		})
	}
	return encode(call.out, struct {
		Protocol        int        `json:"protocol"`
		Provider        string     `json:"provider"`
		Version         string     `json:"version"`
		Build           buildFacts `json:"build"`
		Generators      []string   `json:"generators"`
		Implementations []listed   `json:"implementations"`
	}{2, provider.Name, provider.Version, facts(), []string{}, implementations}, " ")
}

func facts() buildFacts {
	version := strings.TrimPrefix(runtime.Version(), "go")
	return buildFacts{
		Language: "Go", LanguageVersion: "go " + version, Compiler: runtime.Compiler, CompilerVersion: version,
		Flags: flags(), Link: provider.Link, Target: target(),
	}
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
