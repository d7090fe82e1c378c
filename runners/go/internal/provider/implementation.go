// Package provider describes the implementations of this program and selects one by its names.
package provider

import (
	"errors"

	"ciphermark/runner/internal/failure"
)

// A Kind of algorithm, as `list` names it.
type Kind string

// The kinds of algorithms.
const (
	BlockMode Kind = "block-mode"
	Stream    Kind = "stream"
	AEAD      Kind = "aead"
)

// Errors of a keyed cipher; both release nothing.
var (
	ErrBadLength            = errors.New("bad-length")
	ErrAuthenticationFailed = errors.New("authentication-failed")
)

// An Implementation is one algorithm in one variant. Lengths are in bytes.
type Implementation struct {
	Algorithm, Variant string
	Kind               Kind
	KeyBytes           int
	NonceBytes         int
	TagBytes           int
	BlockBytes         int
	WholeBlocksOnly    bool
	ConstantTime       bool
	Default            bool
	Source             string
	MaxMessageBytes    uint64

	ciphers
}

// Require returns the failure that an error of a keyed cipher means for a command, or nil. step begins its sentence.
func Require(err error, step string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrBadLength):
		return failure.New(failure.BadInput, "%s rejected the length", step)
	default:
		return failure.New(failure.AuthenticationFailed,
			"%s rejected the tag: it does not match key, nonce, associated data and ciphertext", step)
	}
}

// RequireMessageLength returns a failure for a length that the algorithm does not take.
func (i *Implementation) RequireMessageLength(bytes uint64) error {
	if i.WholeBlocksOnly && bytes%uint64(i.BlockBytes) != 0 {
		return failure.New(failure.BadInput, "the message has %d bytes, expected a multiple of %d for %s", bytes,
			i.BlockBytes, i.Algorithm)
	}
	if bytes > i.MaxMessageBytes {
		return failure.New(failure.BadInput, "the message has %d bytes, expected at most %d for %s", bytes,
			i.MaxMessageBytes, i.Algorithm)
	}
	return nil
}
