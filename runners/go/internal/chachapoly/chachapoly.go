// Package chachapoly is the AEAD ChaCha20-Poly1305, the variant `ref`.
//
// Source: RFC 8439 section 2.8. Byte order: little-endian. Deviations: none.
package chachapoly

import (
	"crypto/subtle"

	"ciphermark/runner/internal/chacha20"
)

// TagBytes is the length of a tag.
const TagBytes = 16

// MaxMessageBytes: block 0 makes the key of Poly1305, 2^32 - 1 blocks are left.
const MaxMessageBytes = chacha20.BlockBytes * 0xffffffff

// cachedBytes is authenticated while it is in the nearest cache; whole blocks of both primitives.
const cachedBytes = 8192

// Cipher is the AEAD under one key.
type Cipher struct {
	stream *chacha20.Cipher
	poly   poly1305
}

// New returns the cipher without a key.
func New() *Cipher { return &Cipher{stream: chacha20.New(1)} }

// SetKey takes 32 bytes.
func (c *Cipher) SetKey(key []byte) { c.stream.SetKey(key) }

// Seal encrypts in to out and writes the tag.
func (c *Cipher) Seal(nonce, data, in, out, tag []byte) {
	c.start(nonce, data)
	bytes := len(in)
	for len(in) > 0 {
		part := len(in)
		if part > cachedBytes {
			part = cachedBytes
		}
		c.stream.XORKeystream(in[:part], out[:part])
		c.poly.absorbPadded(out[:part])
		in, out = in[part:], out[part:]
	}
	c.finish(len(data), bytes, tag)
}

// Open decrypts in to out if the tag is right, and returns whether it is.
func (c *Cipher) Open(nonce, data, in, out, tag []byte) bool {
	c.start(nonce, data)
	c.poly.absorbPadded(in)
	var computed [TagBytes]byte
	c.finish(len(data), len(in), computed[:])
	if subtle.ConstantTimeCompare(computed[:], tag) != 1 {
		return false
	}
	c.stream.XORKeystream(in, out)
	return true
}

// start makes the one-time key of section 2.6 of block 0.
func (c *Cipher) start(nonce, data []byte) {
	c.stream.Start(nonce, 0)
	c.poly.start(c.stream.Block())
	c.poly.absorbPadded(data)
}

func (c *Cipher) finish(dataBytes, messageBytes int, tag []byte) {
	c.poly.absorb(uint64(dataBytes), uint64(messageBytes))
	c.poly.finish(tag)
}
