package cli

import (
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"

	"ciphermark/runner/internal/failure"
)

// hexOption returns the bytes of an option, or none where it is absent.
func (a arguments) hexOption(name string) ([]byte, error) {
	bytes, err := hex.DecodeString(a[name])
	if err != nil {
		return nil, failure.New(failure.BadInput, "%s is not an even number of hexadecimal digits", name)
	}
	return bytes, nil
}

// fixedHex returns the bytes of an option and refuses any other number of them.
func (a arguments) fixedHex(name string, expected int) ([]byte, error) {
	bytes, err := a.hexOption(name)
	if err == nil && len(bytes) != expected {
		return nil, failure.New(failure.BadInput, "%s has %d bytes, expected %d", name, len(bytes), expected)
	}
	return bytes, err
}

// secret returns the bytes of an option, or those of the fill where it is absent.
func (a arguments) secret(name string, expected int, fill string) ([]byte, error) {
	if _, given := a[name]; given {
		return a.fixedHex(name, expected)
	}
	bytes := make([]byte, expected)
	fillBytes(fill, bytes)
	return bytes, nil
}

// fillBytes writes zeros, 00 01 02 … or the sequence of SplitMix64 (Steele, Lea and Flood 2014) from a fixed seed: it
// looks random and is the same each time, so that digests can be compared.
func fillBytes(fill string, bytes []byte) {
	var state, word uint64
	for i := range bytes {
		switch fill {
		case "zero":
			bytes[i] = 0
		case "counter":
			bytes[i] = byte(i)
		case "random":
			if i%8 == 0 {
				state += 0x9e3779b97f4a7c15
				word = (state ^ state>>30) * 0xbf58476d1ce4e5b9
				word = (word ^ word>>27) * 0x94d049bb133111eb
				word ^= word >> 31
			}
			bytes[i] = byte(word >> (8 * uint(i%8)))
		}
	}
}

// An inputFile is open, and its length is known.
type inputFile struct {
	*os.File
	bytes int
}

// badFile returns the kernel's reason without Go's name of the call.
func badFile(path string, err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	reason := err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		reason = "No such file or directory"
	}
	return failure.New(failure.BadInput, "%s: %s", path, reason)
}

func openInput(path string) (*inputFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, badFile(path, err)
	}
	facts, err := file.Stat()
	if err != nil {
		return nil, badFile(path, err)
	}
	if !facts.Mode().IsRegular() {
		return nil, failure.New(failure.BadInput, "%s: is not a regular file", path)
	}
	return &inputFile{file, int(facts.Size())}, nil
}

// readInto reads the whole file.
func (f *inputFile) readInto(memory []byte) error {
	if _, err := io.ReadFull(f.File, memory[:f.bytes]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return failure.New(failure.BadInput, "%s: was truncated while it was read", f.Name())
		}
		return badFile(f.Name(), err)
	}
	return nil
}
