package provider

// #include "ciphermark/ffi.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// ciphers makes the cipher of an implementation: its number in the library.
type ciphers struct {
	number C.size_t
}

// Keyed is an implementation with a key. The library checks every length.
type Keyed struct {
	*Implementation
	key *C.struct_ciphermark_key
}

// New returns a cipher without a key. The library's memory is freed with it.
func (i *Implementation) New() *Keyed {
	made := &Keyed{Implementation: i}
	runtime.SetFinalizer(made, (*Keyed).free)
	return made
}

func (k *Keyed) free() {
	C.ciphermark_key_free(k.key)
	k.key = nil
}

// SetKey returns nil or ErrBadLength.
func (k *Keyed) SetKey(key []byte) error {
	k.free()
	return asError(C.ciphermark_key_new(k.number, start(key), C.size_t(len(key)), &k.key))
}

// Encrypt writes ciphertext and tag to out. It returns nil or ErrBadLength.
func (k *Keyed) Encrypt(nonce, data, in, out []byte) error {
	status := C.ciphermark_encrypt(k.key, start(nonce), C.size_t(len(nonce)), start(data), C.size_t(len(data)),
		start(in), C.size_t(len(in)), start(out), C.size_t(len(out)))
	runtime.KeepAlive(k)
	return asError(status)
}

// Decrypt takes ciphertext and tag. It returns nil, ErrBadLength or ErrAuthenticationFailed, with zeros in out.
func (k *Keyed) Decrypt(nonce, data, in, out []byte) error {
	status := C.ciphermark_decrypt(k.key, start(nonce), C.size_t(len(nonce)), start(data), C.size_t(len(data)),
		start(in), C.size_t(len(in)), start(out), C.size_t(len(out)))
	runtime.KeepAlive(k)
	return asError(status)
}

// start returns the address of the first byte.
func start(bytes []byte) *C.uint8_t {
	if len(bytes) == 0 {
		return nil
	}
	return (*C.uint8_t)(unsafe.Pointer(&bytes[0]))
}

func asError(status uint32) error {
	switch status {
	case C.CIPHERMARK_OK:
		return nil
	case C.CIPHERMARK_BAD_LENGTH:
		return ErrBadLength
	case C.CIPHERMARK_AUTHENTICATION_FAILED:
		return ErrAuthenticationFailed
	default:
		// Out of memory, as in any other allocation.
		panic("the library of our own ciphers failed")
	}
}
