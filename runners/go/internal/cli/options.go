// Package cli is the command line of a runner, protocol version 1 (runners/README.md).
package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"ciphermark/runner/internal/failure"
	"ciphermark/runner/internal/provider"
)

// An option of a command: its help, and a complaint about a value, which is empty if the value is good.
type option struct {
	help      string
	complaint func(value string) string
}

const maxDigits = 18

var options = map[string]option{
	"--algorithm":   {"as 'list' names it: aes-192-ctr", anything},
	"--variant":     {"as 'list' names it; the default one when absent", anything},
	"--operation":   {"encrypt or decrypt; 'latency' also: key-setup", anything},
	"--key":         {"hexadecimal", anything},
	"--nonce":       {"hexadecimal", anything},
	"--ad":          {"associated data, hexadecimal (AEADs)", anything},
	"--in":          {"file to read", anything},
	"--out":         {"file to write", anything},
	"--length":      {"bytes of the message", byteCount},
	"--ad-length":   {"bytes of associated data for AEADs (default: 0)", byteCount},
	"--fill":        {"contents of message and associated data: zero, counter (default) or random", oneOf("zero", "counter", "random")},
	"--key-fill":    {"contents of key and nonce: zero or counter (default)", oneOf("zero", "counter")},
	"--key-setup":   {"apart (default): a timed call processes the message; included: it sets the key first", oneOf("apart", "included")},
	"--min-time-ms": {"minimum duration of a timing in milliseconds, 0.1 to 10000 (default: 10)", milliseconds},
	"--timings":     {"how many timings, 1 to 10000; 10 when absent", timings},
}

func anything(string) string { return "" }

func oneOf(names ...string) func(string) string {
	return func(value string) string {
		for _, name := range names {
			if value == name {
				return ""
			}
		}
		return fmt.Sprintf("'%s' is not one of %s", value, strings.Join(names, ", "))
	}
}

func byteCount(value string) string {
	if value != "" && len(value) <= maxDigits && strings.Trim(value, "0123456789") == "" {
		return ""
	}
	return fmt.Sprintf("'%s' is not a number of bytes: expected at most %d digits", value, maxDigits)
}

func milliseconds(value string) string {
	number, err := strconv.ParseFloat(value, 64)
	if err == nil && number >= 0.1 && number <= 10000 {
		return ""
	}
	return fmt.Sprintf("'%s' is not a number of milliseconds from 0.1 to 10000", value)
}

func timings(value string) string {
	number, err := strconv.Atoi(value)
	if err == nil && number >= 1 && number <= 10000 {
		return ""
	}
	return fmt.Sprintf("Value %s not in range 1 to 10000", value)
}

// A command of the program.
type command struct {
	name, summary      string
	required, optional []string
	operations         []string
	execute            func(invocation) error
}

// arguments are the values of the options that were given.
type arguments map[string]string

// or returns the value of an option, or the default.
func (a arguments) or(name, absent string) string {
	if value, found := a[name]; found {
		return value
	}
	return absent
}

// number returns the value of an option whose complaint refuses everything but a number, or 0.
func (a arguments) number(name string) uint64 {
	number, _ := strconv.ParseUint(a.or(name, "0"), 10, 64)
	return number
}

func usage(format string, values ...any) error {
	return failure.New(failure.Usage, format+"; --help lists the options", values...)
}

func (c *command) takes(name string) bool {
	for _, known := range append(append([]string{}, c.required...), c.optional...) {
		if name == known {
			return true
		}
	}
	return false
}

// parse reads the words behind the name of the command.
func (c *command) parse(words []string) (arguments, error) {
	given := arguments{}
	for len(words) > 0 {
		name, value, attached := strings.Cut(words[0], "=")
		words = words[1:]
		if !c.takes(name) {
			return nil, usage("The following argument was not expected: %s", name)
		}
		if _, twice := given[name]; twice {
			return nil, usage("%s: At Most 1 required but received 2", name)
		}
		if !attached {
			if len(words) == 0 {
				return nil, usage("%s: 1 required TEXT missing", name)
			}
			value, words = words[0], words[1:]
		}
		if complaint := options[name].complaint(value); complaint != "" {
			return nil, usage("%s: %s", name, complaint)
		}
		given[name] = value
	}
	for _, name := range c.required {
		if _, found := given[name]; !found {
			return nil, usage("%s is required", name)
		}
	}
	if operation, found := given["--operation"]; found {
		if complaint := oneOf(c.operations...)(operation); complaint != "" {
			return nil, usage("--operation: %s", complaint)
		}
	}
	return given, nil
}

func (c *command) help(out io.Writer) {
	fmt.Fprintf(out, "%s\nUsage: ciphermark-%s %s [OPTIONS]\n\nOptions:\n", c.summary, provider.Name, c.name)
	for _, name := range c.required {
		fmt.Fprintf(out, "  %-14s required: %s\n", name, options[name].help)
	}
	for _, name := range c.optional {
		fmt.Fprintf(out, "  %-14s %s\n", name, options[name].help)
	}
}

func help(out io.Writer) {
	fmt.Fprintf(out, "Executes the implementations of the provider %s.\nUsage: ciphermark-%s SUBCOMMAND [OPTIONS]\n\n"+
		"Subcommands:\n", provider.Name, provider.Name)
	for _, known := range commands() {
		if known.summary != "" {
			fmt.Fprintf(out, "  %-8s %s\n", known.name, known.summary)
		}
	}
}
