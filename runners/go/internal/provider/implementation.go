// Package provider has the implementations of this program.
package provider

import "errors"

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
	ErrBadLength            = errors.New("the algorithm does not take a key, nonce or message of this length")
	ErrAuthenticationFailed = errors.New("the tag does not match key, nonce, associated data and ciphertext")
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
