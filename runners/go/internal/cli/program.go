package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"ciphermark/runner/internal/failure"
	"ciphermark/runner/internal/measure"
	"ciphermark/runner/internal/provider"
)

// An invocation is one command with its options. out is flushed at the end, and its errors are reported then.
type invocation struct {
	words  []string // options as they were given
	given  arguments
	phases measure.Phases
	out    *bufio.Writer
}

func (i invocation) implementation() (*provider.Implementation, error) {
	return provider.Select(i.given["--algorithm"], i.given["--variant"])
}

func commands() []*command {
	caseOptions := []string{"--variant", "--length", "--ad-length", "--key", "--nonce", "--fill", "--key-fill",
		"--key-setup", "--min-time-ms", "--timings"}
	both, timed := []string{"encrypt", "decrypt"}, []string{"encrypt", "decrypt", "key-setup"}
	return []*command{
		{name: "list", summary: "Describe the implementations and the build, as JSON", execute: list},
		{name: "crypt", summary: "Encrypt or decrypt one message; the output of an AEAD is ciphertext and tag",
			required: []string{"--algorithm", "--operation", "--key", "--in", "--out"},
			optional: []string{"--variant", "--nonce", "--ad"}, operations: both, execute: crypt},
		{name: "kat", summary: "Check every known answer of an algorithm and print what was computed",
			required: []string{"--algorithm"}, optional: []string{"--variant"}, execute: kat},
		{name: "process", summary: "Read a file, encrypt and decrypt it, then verify and report, as JSON",
			required: []string{"--algorithm", "--in"}, optional: []string{"--variant", "--key", "--nonce"},
			execute: process},
		{name: "latency", summary: "Time calls inside one process, as JSON",
			required: []string{"--algorithm", "--operation"}, optional: caseOptions, operations: timed, execute: latency},
		{name: "noop", summary: "Do what 'process' does without the cipher", required: []string{"--in"}, execute: noop},
		// Not for users: `latency` starts it in a child process.
		{name: ciphertextCommand, required: []string{"--algorithm", "--operation"}, optional: caseOptions,
			operations: timed, execute: writeCiphertext},
	}
}

// Run executes the command that the words name and returns the exit code; an error becomes one JSON line on stderr.
func Run(words []string, phases measure.Phases) int {
	out := bufio.NewWriter(os.Stdout)
	err := dispatch(words, phases, out)
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = failure.New(failure.Internal, "standard output cannot be written")
	}
	if err == nil {
		return 0
	}
	var known *failure.Error
	if !errors.As(err, &known) {
		known = failure.New(failure.Internal, "%v", err)
	}
	// If standard error is closed too, the exit code still reports the failure.
	_ = encode(os.Stderr, struct {
		Error  failure.Kind `json:"error"`
		Detail string       `json:"detail"`
	}{known.Kind, known.Detail}, "")
	return known.Kind.ExitCode()
}

// dispatch recovers from a panic, because a caller expects an error line.
func dispatch(words []string, phases measure.Phases, out *bufio.Writer) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = failure.New(failure.Internal, "%v", broken)
		}
	}()
	if len(words) == 0 {
		return usage("A subcommand is required")
	}
	switch words[0] {
	case "--help", "-h":
		help(out)
		return nil
	case "--version":
		_, err = fmt.Fprintln(out, provider.Version)
		return err
	}
	for _, known := range commands() {
		if known.name != words[0] {
			continue
		}
		for _, word := range words[1:] {
			if word == "--help" || word == "-h" {
				known.help(out)
				return nil
			}
		}
		given, err := known.parse(words[1:])
		if err != nil {
			return err
		}
		return known.execute(invocation{words[1:], given, phases, out})
	}
	return usage("'%s' is no subcommand", words[0])
}

// encode writes JSON as the other runners do: no escapes for HTML.
func encode(out io.Writer, value any, indent string) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	return encoder.Encode(value)
}
