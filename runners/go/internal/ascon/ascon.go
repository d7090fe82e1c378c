// Package ascon is the AEAD Ascon-AEAD128, the variant `opt64`.
//
// Source: NIST SP 800-232 (2025) sections 3 and 4. Byte order: little-endian. Deviations: none.
package ascon

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
)

// Lengths in bytes.
const (
	RateBytes = 16
	TagBytes  = 16
)

const iv = 0x00001000808c0001

// constants are those of p[12], table 5; p[8] takes the last eight.
var constants = [12]uint64{0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78, 0x69, 0x5a, 0x4b}

// Cipher is the AEAD under one key.
type Cipher struct{ k0, k1 uint64 }

// state is the five words S_0 to S_4.
type state struct{ x0, x1, x2, x3, x4 uint64 }

// permute applies a round for each constant: p_C, p_S and p_L of section 3.
func (s *state) permute(constants []uint64) {
	x0, x1, x2, x3, x4 := s.x0, s.x1, s.x2, s.x3, s.x4
	for _, constant := range constants {
		x2 ^= constant
		x0 ^= x4
		x4 ^= x3
		x2 ^= x1

		t0 := x0 ^ (^x1 & x2)
		t1 := x1 ^ (^x2 & x3)
		t2 := x2 ^ (^x3 & x4)
		t3 := x3 ^ (^x4 & x0)
		t4 := x4 ^ (^x0 & x1)
		t1 ^= t0
		t0 ^= t4
		t3 ^= t2
		t2 = ^t2
		x0 = t0 ^ bits.RotateLeft64(t0, -19) ^ bits.RotateLeft64(t0, -28)
		x1 = t1 ^ bits.RotateLeft64(t1, -61) ^ bits.RotateLeft64(t1, -39)
		x2 = t2 ^ bits.RotateLeft64(t2, -1) ^ bits.RotateLeft64(t2, -6)
		x3 = t3 ^ bits.RotateLeft64(t3, -10) ^ bits.RotateLeft64(t3, -17)
		x4 = t4 ^ bits.RotateLeft64(t4, -7) ^ bits.RotateLeft64(t4, -41)
	}
	s.x0, s.x1, s.x2, s.x3, s.x4 = x0, x1, x2, x3, x4
}

// SetKey takes 16 bytes.
func (c *Cipher) SetKey(key []byte) {
	c.k0, c.k1 = binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[8:])
}

// Seal encrypts in to out and writes the tag.
func (c *Cipher) Seal(nonce, data, in, out, tag []byte) {
	s := c.start(nonce, data)
	for ; len(in) >= RateBytes; in, out = in[RateBytes:], out[RateBytes:] {
		s.x0 ^= binary.LittleEndian.Uint64(in)
		s.x1 ^= binary.LittleEndian.Uint64(in[8:])
		binary.LittleEndian.PutUint64(out, s.x0)
		binary.LittleEndian.PutUint64(out[8:], s.x1)
		s.permute(constants[4:])
	}
	var block [RateBytes]byte
	copy(block[:], in)
	block[len(in)] = 1
	s.add(&block)
	s.extract(&block)
	copy(out, block[:len(in)])
	c.finish(&s, tag)
}

// Open decrypts in to out and returns whether the tag is right; if not, the caller overwrites out.
func (c *Cipher) Open(nonce, data, in, out, tag []byte) bool {
	s := c.start(nonce, data)
	for ; len(in) >= RateBytes; in, out = in[RateBytes:], out[RateBytes:] {
		low, high := binary.LittleEndian.Uint64(in), binary.LittleEndian.Uint64(in[8:])
		binary.LittleEndian.PutUint64(out, s.x0^low)
		binary.LittleEndian.PutUint64(out[8:], s.x1^high)
		s.x0, s.x1 = low, high
		s.permute(constants[4:])
	}
	var keystream, block [RateBytes]byte
	s.extract(&keystream)
	for i, value := range in {
		block[i] = value ^ keystream[i]
	}
	copy(out, block[:len(in)])
	block[len(in)] = 1
	s.add(&block)
	var computed [TagBytes]byte
	c.finish(&s, computed[:])
	return subtle.ConstantTimeCompare(computed[:], tag) == 1
}

func (s *state) add(block *[RateBytes]byte) {
	s.x0 ^= binary.LittleEndian.Uint64(block[:])
	s.x1 ^= binary.LittleEndian.Uint64(block[8:])
}

func (s *state) extract(block *[RateBytes]byte) {
	binary.LittleEndian.PutUint64(block[:], s.x0)
	binary.LittleEndian.PutUint64(block[8:], s.x1)
}

// start is the initialization and the associated data of algorithm 3.
func (c *Cipher) start(nonce, data []byte) state {
	s := state{iv, c.k0, c.k1, binary.LittleEndian.Uint64(nonce), binary.LittleEndian.Uint64(nonce[8:])}
	s.permute(constants[:])
	s.x3 ^= c.k0
	s.x4 ^= c.k1
	if len(data) > 0 {
		for ; len(data) >= RateBytes; data = data[RateBytes:] {
			s.x0 ^= binary.LittleEndian.Uint64(data)
			s.x1 ^= binary.LittleEndian.Uint64(data[8:])
			s.permute(constants[4:])
		}
		var block [RateBytes]byte
		copy(block[:], data)
		block[len(data)] = 1
		s.add(&block)
		s.permute(constants[4:])
	}
	s.x4 ^= 1 << 63
	return s
}

// finish is the finalization of algorithm 3.
func (c *Cipher) finish(s *state, tag []byte) {
	s.x2 ^= c.k0
	s.x3 ^= c.k1
	s.permute(constants[:])
	binary.LittleEndian.PutUint64(tag, s.x3^c.k0)
	binary.LittleEndian.PutUint64(tag[8:], s.x4^c.k1)
}
