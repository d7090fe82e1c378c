package knownanswers

import (
	"bytes"
	"errors"
	"fmt"

	"ciphermark/runner/internal/provider"
)

// Check compares what an implementation computes with a vector. It returns the computed ciphertext and tag, without
// the part that belongs to the offset, and a complaint, which is empty if all is as expected.
func Check(implementation *provider.Implementation, answer *Answer) (computed []byte, complaint string) {
	switch answer.Expectation {
	case Invalid:
		return answer.Sealed, checkInvalid(implementation, answer)
	case BadLength:
		return answer.Sealed, checkBadLength(implementation, answer)
	default:
		return checkValid(implementation, answer)
	}
}

// checkValid encrypts and decrypts, into other memory and in place.
func checkValid(implementation *provider.Implementation, answer *Answer) ([]byte, string) {
	keyed := implementation.New()
	if err := keyed.SetKey(answer.Key); err != nil {
		return nil, unexpected("key setup", err, "ok")
	}
	message := append(make([]byte, answer.Offset), answer.Plaintext...)
	sealed := make([]byte, len(message)+implementation.TagBytes)
	if err := keyed.Encrypt(answer.Nonce, answer.Data, message, sealed); err != nil {
		return nil, unexpected("encrypt", err, "ok")
	}
	computed := sealed[answer.Offset:]
	if !bytes.Equal(computed, answer.Sealed) {
		return computed, different("encrypt", computed, answer.Sealed)
	}
	opened := make([]byte, len(message))
	if err := keyed.Decrypt(answer.Nonce, answer.Data, sealed, opened); err != nil {
		return computed, unexpected("decrypt", err, "ok")
	}
	if !bytes.Equal(opened, message) {
		return computed, different("decrypt", opened, message)
	}
	memory := append(append([]byte{}, message...), make([]byte, implementation.TagBytes)...)
	front := memory[:len(message)]
	if err := keyed.Encrypt(answer.Nonce, answer.Data, front, memory); err != nil || !bytes.Equal(memory, sealed) {
		return computed, different("encrypt in place", memory, sealed)
	}
	if err := keyed.Decrypt(answer.Nonce, answer.Data, memory, front); err != nil || !bytes.Equal(front, message) {
		return computed, different("decrypt in place", front, message)
	}
	return computed, ""
}

// checkInvalid requires that a forged message is refused, and nothing of it released.
func checkInvalid(implementation *provider.Implementation, answer *Answer) string {
	keyed := implementation.New()
	if err := keyed.SetKey(answer.Key); err != nil {
		return unexpected("key setup", err, "ok")
	}
	opened := bytes.Repeat([]byte{0xff}, without(answer.Sealed, implementation.TagBytes))
	err := keyed.Decrypt(answer.Nonce, answer.Data, answer.Sealed, opened)
	if !errors.Is(err, provider.ErrAuthenticationFailed) {
		return unexpected("decrypt", err, provider.ErrAuthenticationFailed.Error())
	}
	if !bytes.Equal(opened, make([]byte, len(opened))) {
		return fmt.Sprintf("decrypt rejected the message but released %x", opened)
	}
	return ""
}

// checkBadLength requires that key setup refuses, or the direction that the vector has the input of.
func checkBadLength(implementation *provider.Implementation, answer *Answer) string {
	keyed := implementation.New()
	err := keyed.SetKey(answer.Key)
	if err == nil && len(answer.Sealed) == 0 {
		sealed := make([]byte, len(answer.Plaintext)+implementation.TagBytes)
		err = keyed.Encrypt(answer.Nonce, answer.Data, answer.Plaintext, sealed)
	} else if err == nil {
		opened := make([]byte, without(answer.Sealed, implementation.TagBytes))
		err = keyed.Decrypt(answer.Nonce, answer.Data, answer.Sealed, opened)
	}
	if !errors.Is(err, provider.ErrBadLength) {
		return unexpected("a wrong length", err, provider.ErrBadLength.Error())
	}
	return ""
}

// without returns the length of a sealed message without its tag, or 0 if it is shorter than one.
func without(sealed []byte, tagBytes int) int {
	if len(sealed) < tagBytes {
		return 0
	}
	return len(sealed) - tagBytes
}

func unexpected(step string, seen error, expected string) string {
	name := "ok"
	if seen != nil {
		name = seen.Error()
	}
	return fmt.Sprintf("%s gave %s, expected %s", step, name, expected)
}

func different(step string, seen, expected []byte) string {
	return fmt.Sprintf("%s gave %x, expected %x", step, seen, expected)
}
