package chachapoly

import (
	"encoding/binary"
	"math/bits"
)

const polyBlockBytes = 16

// poly1305 is the authenticator of RFC 8439 section 2.5, in limbs of 64 bits.
type poly1305 struct {
	r0, r1     uint64
	s0, s1     uint64
	h0, h1, h2 uint64 // below 2^131
}

// start takes the one-time key of 32 bytes; the clamp is that of section 2.5.1.
func (p *poly1305) start(key []byte) {
	*p = poly1305{
		r0: binary.LittleEndian.Uint64(key) & 0x0ffffffc0fffffff,
		r1: binary.LittleEndian.Uint64(key[8:]) & 0x0ffffffc0ffffffc,
		s0: binary.LittleEndian.Uint64(key[16:]),
		s1: binary.LittleEndian.Uint64(key[24:]),
	}
}

// absorbPadded takes the bytes and zeros to the next whole block.
func (p *poly1305) absorbPadded(data []byte) {
	for ; len(data) >= polyBlockBytes; data = data[polyBlockBytes:] {
		p.absorb(binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:]))
	}
	if len(data) > 0 {
		var block [polyBlockBytes]byte
		copy(block[:], data)
		p.absorb(binary.LittleEndian.Uint64(block[:]), binary.LittleEndian.Uint64(block[8:]))
	}
}

// absorb computes h = (h + block + 2^128) r modulo 2^130 - 5, up to a multiple of the modulus.
func (p *poly1305) absorb(low, high uint64) {
	h0, carry := bits.Add64(p.h0, low, 0)
	h1, carry := bits.Add64(p.h1, high, carry)
	h2 := p.h2 + carry + 1

	// The schoolbook product in four limbs. h2 has at most 3 bits and r at most 60, so their product is one limb.
	high00, t0 := bits.Mul64(h0, p.r0)
	high10, low10 := bits.Mul64(h1, p.r0)
	high01, low01 := bits.Mul64(h0, p.r1)
	high11, low11 := bits.Mul64(h1, p.r1)
	t1, carry := bits.Add64(low10, low01, 0)
	t2, carry := bits.Add64(high10, high01, carry)
	t3 := high11 + carry
	t1, carry = bits.Add64(t1, high00, 0)
	t2, carry = bits.Add64(t2, low11, carry)
	t3 += carry
	t2, carry = bits.Add64(t2, h2*p.r0, 0)
	t3 += carry + h2*p.r1

	// 2^130 is 5: what is above bit 130 counts once, and four times where it is.
	h0, h1, h2 = t0, t1, t2&3
	h0, carry = bits.Add64(h0, t2&^3, 0)
	h1, carry = bits.Add64(h1, t3, carry)
	h2 += carry
	h0, carry = bits.Add64(h0, t2>>2|t3<<62, 0)
	h1, carry = bits.Add64(h1, t3>>2, carry)
	p.h0, p.h1, p.h2 = h0, h1, h2+carry
}

// finish writes the tag of 16 bytes.
func (p *poly1305) finish(tag []byte) {
	// h or h - (2^130 - 5), whichever is in the range, without a branch on it.
	g0, carry := bits.Add64(p.h0, 5, 0)
	g1, carry := bits.Add64(p.h1, 0, carry)
	g2 := p.h2 + carry
	mask := -(g2 >> 2 & 1)
	h0 := p.h0&^mask | g0&mask
	h1 := p.h1&^mask | g1&mask
	h0, carry = bits.Add64(h0, p.s0, 0)
	h1, _ = bits.Add64(h1, p.s1, carry)
	binary.LittleEndian.PutUint64(tag, h0)
	binary.LittleEndian.PutUint64(tag[8:], h1)
}
