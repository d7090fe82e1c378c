// Package failure has the errors that end a command, each with a name and an exit code (runners/README.md).
package failure

import "fmt"

// A Kind of failure; its text is the name in the error line.
type Kind string

// The kinds of failure of protocol version 1.
const (
	Usage                Kind = "usage"
	UnknownAlgorithm     Kind = "unknown-algorithm"
	UnknownVariant       Kind = "unknown-variant"
	BadInput             Kind = "bad-input"
	AuthenticationFailed Kind = "authentication-failed"
	NotVerified          Kind = "not-verified"
	Internal             Kind = "internal"
)

// ExitCode returns the exit code of the program that ends with this kind of failure.
func (k Kind) ExitCode() int {
	switch k {
	case Usage:
		return 2
	case UnknownAlgorithm, UnknownVariant:
		return 3
	case BadInput:
		return 4
	case AuthenticationFailed:
		return 5
	case NotVerified:
		return 6
	default:
		return 70
	}
}

// Error ends a command.
type Error struct {
	Kind   Kind
	Detail string
}

func (e *Error) Error() string { return e.Detail }

// New returns an Error with a formatted detail.
func New(kind Kind, format string, values ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, values...)}
}
