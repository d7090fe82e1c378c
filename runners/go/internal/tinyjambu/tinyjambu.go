// Package tinyjambu is the AEAD TinyJAMBU with keys of 128, 192 and 256 bits, the variant `scalar`.
//
// Source: H. Wu, T. Huang, "TinyJAMBU: A Family of Lightweight Authenticated Encryption Algorithms (Version 2)",
// 2021, section 3. Byte order: little-endian. Deviations: none.
package tinyjambu

import (
	"crypto/subtle"
	"encoding/binary"
)

// Lengths in bytes.
const (
	NonceBytes = 12
	TagBytes   = 8
	BlockBytes = 4
)

// MaxMessageBytes is the limit of section 3: 2^50 bytes are too many.
const MaxMessageBytes = 1<<50 - 1

// Frame bits of section 3.3, at their place in the second word of the state.
const (
	frameNonce = 0x10
	frameData  = 0x30
	frameText  = 0x50
	frameFinal = 0x70
)

// shortSteps are 640 rounds, as steps of 32.
const shortSteps = 640 / 32

// Cipher is the AEAD under one key.
type Cipher struct {
	key       [8]uint32 // inverted, so that the NAND of a round is an AND
	keyWords  int
	longSteps int
	keyed     state // after the key setup of section 3.3.1
}

type state [4]uint32

// SetKey takes 16, 24 or 32 bytes.
func (c *Cipher) SetKey(key []byte) {
	c.keyWords = len(key) / 4
	for i := 0; i < c.keyWords; i++ {
		c.key[i] = ^binary.LittleEndian.Uint32(key[4*i:])
	}
	c.longSteps = (1024 + 128*(c.keyWords/2-2)) / 32
	c.keyed = state{}
	c.permute(&c.keyed, c.longSteps)
}

// permute is P_n of section 3.2, 32 rounds a step; steps is a multiple of 4.
func (c *Cipher) permute(s *state, steps int) {
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	key := c.key[:c.keyWords]
	at := 0
	for ; steps > 0; steps -= 4 {
		if at == len(key) {
			at = 0
		}
		s0 ^= (s1>>15 | s2<<17) ^ (s2>>6|s3<<26)&(s2>>21|s3<<11) ^ (s2>>27 | s3<<5) ^ key[at]
		s1 ^= (s2>>15 | s3<<17) ^ (s3>>6|s0<<26)&(s3>>21|s0<<11) ^ (s3>>27 | s0<<5) ^ key[at+1]
		at += 2
		if at == len(key) {
			at = 0
		}
		s2 ^= (s3>>15 | s0<<17) ^ (s0>>6|s1<<26)&(s0>>21|s1<<11) ^ (s0>>27 | s1<<5) ^ key[at]
		s3 ^= (s0>>15 | s1<<17) ^ (s1>>6|s2<<26)&(s1>>21|s2<<11) ^ (s1>>27 | s2<<5) ^ key[at+1]
		at += 2
	}
	s[0], s[1], s[2], s[3] = s0, s1, s2, s3
}

// Seal encrypts in to out and writes the tag.
func (c *Cipher) Seal(nonce, data, in, out, tag []byte) {
	s := c.start(nonce, data)
	for ; len(in) >= BlockBytes; in, out = in[BlockBytes:], out[BlockBytes:] {
		word := binary.LittleEndian.Uint32(in)
		s[1] ^= frameText
		c.permute(&s, c.longSteps)
		s[3] ^= word
		binary.LittleEndian.PutUint32(out, word^s[2])
	}
	if len(in) > 0 {
		word := partial(in)
		s[1] ^= frameText
		c.permute(&s, c.longSteps)
		s[3] ^= word
		s[1] ^= uint32(len(in))
		storePartial(out[:len(in)], word^s[2])
	}
	c.finish(&s, tag)
}

// Open decrypts in to out and returns whether the tag is right; if not, the caller overwrites out.
func (c *Cipher) Open(nonce, data, in, out, tag []byte) bool {
	s := c.start(nonce, data)
	for ; len(in) >= BlockBytes; in, out = in[BlockBytes:], out[BlockBytes:] {
		s[1] ^= frameText
		c.permute(&s, c.longSteps)
		word := binary.LittleEndian.Uint32(in) ^ s[2]
		s[3] ^= word
		binary.LittleEndian.PutUint32(out, word)
	}
	if len(in) > 0 {
		s[1] ^= frameText
		c.permute(&s, c.longSteps)
		mask := uint32(1)<<(8*uint(len(in))) - 1
		word := partial(in) ^ s[2]&mask
		s[3] ^= word
		s[1] ^= uint32(len(in))
		storePartial(out[:len(in)], word)
	}
	var computed [TagBytes]byte
	c.finish(&s, computed[:])
	return subtle.ConstantTimeCompare(computed[:], tag) == 1
}

// start takes the nonce and the associated data, sections 3.3.1 and 3.3.2.
func (c *Cipher) start(nonce, data []byte) state {
	s := c.keyed
	for at := 0; at < NonceBytes; at += 4 {
		s[1] ^= frameNonce
		c.permute(&s, shortSteps)
		s[3] ^= binary.LittleEndian.Uint32(nonce[at:])
	}
	for ; len(data) >= BlockBytes; data = data[BlockBytes:] {
		s[1] ^= frameData
		c.permute(&s, shortSteps)
		s[3] ^= binary.LittleEndian.Uint32(data)
	}
	if len(data) > 0 {
		s[1] ^= frameData
		c.permute(&s, shortSteps)
		s[3] ^= partial(data)
		s[1] ^= uint32(len(data))
	}
	return s
}

// finish is section 3.3.4.
func (c *Cipher) finish(s *state, tag []byte) {
	s[1] ^= frameFinal
	c.permute(s, c.longSteps)
	binary.LittleEndian.PutUint32(tag, s[2])
	s[1] ^= frameFinal
	c.permute(s, shortSteps)
	binary.LittleEndian.PutUint32(tag[4:], s[2])
}

func partial(from []byte) uint32 {
	var word uint32
	for i, value := range from {
		word |= uint32(value) << (8 * uint(i))
	}
	return word
}

func storePartial(to []byte, word uint32) {
	for i := range to {
		to[i] = byte(word >> (8 * uint(i)))
	}
}
