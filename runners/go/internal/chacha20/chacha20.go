// Package chacha20 is the stream cipher ChaCha20 in its three parameter sets, the variant `ref`.
//
// Source: D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008); RFC 8439 sections 2.1 to 2.4. Byte order:
// little-endian. Deviations: none.
package chacha20

import (
	"encoding/binary"
	"math"
	"math/bits"

	"ciphermark/runner/internal/modes"
)

// BlockBytes is the length of a block of the keystream.
const BlockBytes = 64

const firstCounterWord = 12

// Cipher is ChaCha20 under one key.
type Cipher struct {
	counterWords int // 2: the original with an 8-byte nonce; 1: RFC 8439 with a 12-byte nonce
	state        [16]uint32
	block        [BlockBytes]byte
}

// New returns the cipher without a key. counterWords: 32-bit words of the block counter.
func New(counterWords int) *Cipher { return &Cipher{counterWords: counterWords} }

// BlockBytes returns the length of a block of the keystream.
func (c *Cipher) BlockBytes() int { return BlockBytes }

// MaxMessageBytes returns the length of the message after which the counter would repeat.
func (c *Cipher) MaxMessageBytes() uint64 {
	if c.counterWords == 1 {
		return BlockBytes << 32
	}
	return math.MaxUint64
}

// SetKey takes 16 bytes, which are used twice, or 32.
func (c *Cipher) SetKey(key []byte) {
	constants := "expand 32-byte k"
	if len(key) == 16 {
		constants = "expand 16-byte k"
	}
	for i := 0; i < 4; i++ {
		c.state[i] = binary.LittleEndian.Uint32([]byte(constants)[4*i:])
	}
	for i := 0; i < 8; i++ {
		c.state[4+i] = binary.LittleEndian.Uint32(key[4*i%len(key):])
	}
}

// Start sets the nonce and the number of the next block.
func (c *Cipher) Start(nonce []byte, block uint32) {
	c.state[firstCounterWord] = block
	c.state[firstCounterWord+1] = 0
	first := firstCounterWord + c.counterWords
	for i := first; i < 16; i++ {
		c.state[i] = binary.LittleEndian.Uint32(nonce[4*(i-first):])
	}
}

// Encrypt takes any length.
func (c *Cipher) Encrypt(nonce, in, out []byte) {
	c.Start(nonce, 0)
	c.XORKeystream(in, out)
}

// Decrypt is the same as Encrypt.
func (c *Cipher) Decrypt(nonce, in, out []byte) { c.Encrypt(nonce, in, out) }

// XORKeystream goes on with the next whole block of the keystream.
func (c *Cipher) XORKeystream(in, out []byte) {
	for len(in) > 0 {
		c.nextBlock()
		count := len(in)
		if count > BlockBytes {
			count = BlockBytes
		}
		modes.XOR(out[:count], in[:count], c.block[:])
		in, out = in[count:], out[count:]
	}
}

// Block returns the next block of the keystream, which is valid until the next call.
func (c *Cipher) Block() []byte {
	c.nextBlock()
	return c.block[:]
}

// nextBlock is the block function of RFC 8439 section 2.3; the variables stay in registers.
func (c *Cipher) nextBlock() {
	s := &c.state
	x0, x1, x2, x3 := s[0], s[1], s[2], s[3]
	x4, x5, x6, x7 := s[4], s[5], s[6], s[7]
	x8, x9, x10, x11 := s[8], s[9], s[10], s[11]
	x12, x13, x14, x15 := s[12], s[13], s[14], s[15]
	for round := 0; round < 20; round += 2 {
		x0, x4, x8, x12 = quarterRound(x0, x4, x8, x12)
		x1, x5, x9, x13 = quarterRound(x1, x5, x9, x13)
		x2, x6, x10, x14 = quarterRound(x2, x6, x10, x14)
		x3, x7, x11, x15 = quarterRound(x3, x7, x11, x15)
		x0, x5, x10, x15 = quarterRound(x0, x5, x10, x15)
		x1, x6, x11, x12 = quarterRound(x1, x6, x11, x12)
		x2, x7, x8, x13 = quarterRound(x2, x7, x8, x13)
		x3, x4, x9, x14 = quarterRound(x3, x4, x9, x14)
	}
	mixed := [16]uint32{x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15}
	for i, word := range mixed {
		binary.LittleEndian.PutUint32(c.block[4*i:], word+s[i])
	}
	s[firstCounterWord]++
	if s[firstCounterWord] == 0 && c.counterWords == 2 {
		s[firstCounterWord+1]++
	}
}

// quarterRound is RFC 8439 section 2.1.
func quarterRound(a, b, c, d uint32) (uint32, uint32, uint32, uint32) {
	a += b
	d = bits.RotateLeft32(d^a, 16)
	c += d
	b = bits.RotateLeft32(b^c, 12)
	a += b
	d = bits.RotateLeft32(d^a, 8)
	c += d
	b = bits.RotateLeft32(b^c, 7)
	return a, b, c, d
}
