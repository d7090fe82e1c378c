// Package knownanswers reads the vectors of runners/vectors and checks an implementation with them.
package knownanswers

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxOffsetBytes is the longest message before a vector's plaintext: it is encrypted, in memory.
const maxOffsetBytes = 1 << 28

// An Expectation is the result that the origin of a vector requires.
type Expectation string

// The values of the field Result; without it a vector is Valid.
const (
	Valid     Expectation = "valid"
	Invalid   Expectation = "invalid"
	BadLength Expectation = "bad-length"
)

// An Answer is one block of a .vec file (runners/README.md has the format).
type Answer struct {
	Line                                int // of the block's first field, from 1
	Key, Nonce, Data, Plaintext, Sealed []byte
	Offset                              int // bytes of zeros before the plaintext in the message
	Expectation                         Expectation
}

// Genkat names a published file of the NIST generator: its rule, and its SHA-256 in lower case.
type Genkat struct{ Rule, SHA256 string }

// A File is one algorithm's vectors.
type File struct {
	Text    []byte
	Answers []*Answer
	Genkat  *Genkat
}

// Text returns vectors/<algorithm>.vec, which is in the folder next to that of the program.
func Text(algorithm string) ([]byte, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(program)), "vectors", algorithm+".vec"))
}

// Load reads and parses the vectors of an algorithm.
func Load(algorithm string) (*File, error) {
	text, err := Text(algorithm)
	if err != nil {
		return nil, err
	}
	file, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s.vec %w", algorithm, err)
	}
	if len(file.Answers) == 0 {
		return nil, fmt.Errorf("%s.vec has no known answers", algorithm)
	}
	return file, nil
}

func parse(text []byte) (*File, error) {
	file := &File{Text: text}
	var answer *Answer
	for number, line := range strings.Split(string(text), "\n") {
		line = strings.Trim(line, " \t\r")
		if line == "" {
			answer = nil
		}
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found {
			return nil, fmt.Errorf("line %d: expected 'Field = value'", number+1)
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if name == "Genkat" {
			rule, digest, _ := strings.Cut(value, " ")
			file.Genkat = &Genkat{rule, strings.ToLower(strings.TrimSpace(digest))}
			if rule != "classic" && rule != "sp800-232" || len(file.Genkat.SHA256) != 64 {
				return nil, fmt.Errorf("line %d: Genkat is '%s'; expected classic or sp800-232, and 64 digits", number+1, value)
			}
			continue
		}
		if answer == nil {
			answer = &Answer{Line: number + 1, Expectation: Valid}
			file.Answers = append(file.Answers, answer)
		}
		if err := answer.set(name, value); err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	return file, nil
}

func (a *Answer) set(name, value string) error {
	fields := map[string]*[]byte{"Key": &a.Key, "Nonce": &a.Nonce, "AD": &a.Data, "PT": &a.Plaintext, "CT": &a.Sealed}
	if field, found := fields[name]; found {
		bytes, err := hex.DecodeString(value)
		if err != nil {
			return fmt.Errorf("%s is not hexadecimal", name)
		}
		*field = bytes
		return nil
	}
	switch name {
	case "Offset":
		offset, err := strconv.ParseUint(value, 10, 32)
		if err != nil || offset > maxOffsetBytes {
			return fmt.Errorf("Offset is '%s'; expected a number up to %d", value, maxOffsetBytes)
		}
		a.Offset = int(offset)
	case "Result":
		a.Expectation = Expectation(value)
		if a.Expectation != Valid && a.Expectation != Invalid && a.Expectation != BadLength {
			return fmt.Errorf("Result is '%s'; expected valid, invalid or bad-length", value)
		}
	default:
		return fmt.Errorf("unknown field '%s'", name)
	}
	return nil
}
