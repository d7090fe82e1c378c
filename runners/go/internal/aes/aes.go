// Package aes is the block cipher AES with keys of 128, 192 and 256 bits, the variant `tables`.
//
// Source: FIPS 197 (2001, updated 2023). Byte order: that of the document; a column of the state is a big-endian
// word. Deviations: none. The indices of the tables are secret, so the time depends on the caches.
package aes

import (
	"encoding/binary"
	"math/bits"
)

const maxRounds = 14

// Cipher is AES under one key.
type Cipher struct {
	rounds  int
	keys    [4 * (maxRounds + 1)]uint32
	inverse [4 * (maxRounds + 1)]uint32 // of the equivalent inverse cipher, section 5.3.5, in the order of their use
}

// BlockBytes returns the length of a block.
func (c *Cipher) BlockBytes() int { return 16 }

// SetKey is the key expansion of section 5.2; the key has 16, 24 or 32 bytes. The first one makes the tables.
func (c *Cipher) SetKey(key []byte) {
	once.Do(makeTables)
	keyWords := len(key) / 4
	c.rounds = keyWords + 6
	for i := 0; i < keyWords; i++ {
		c.keys[i] = binary.BigEndian.Uint32(key[4*i:])
	}
	constant := byte(1)
	for i := keyWords; i < 4*(c.rounds+1); i++ {
		word := c.keys[i-1]
		switch {
		case i%keyWords == 0:
			word = substitute(bits.RotateLeft32(word, 8)) ^ uint32(constant)<<24
			constant = xtime(constant)
		case keyWords > 6 && i%keyWords == 4:
			word = substitute(word)
		}
		c.keys[i] = c.keys[i-keyWords] ^ word
	}
	for round := 0; round <= c.rounds; round++ {
		for i := 0; i < 4; i++ {
			word := c.keys[4*(c.rounds-round)+i]
			if round > 0 && round < c.rounds {
				word = column[word>>24] ^ bits.RotateLeft32(column[word>>16&0xff], -8) ^
					bits.RotateLeft32(column[word>>8&0xff], -16) ^ bits.RotateLeft32(column[word&0xff], -24)
			}
			c.inverse[4*round+i] = word
		}
	}
}

// substitute is SubWord of section 5.2.
func substitute(word uint32) uint32 {
	return uint32(sbox[word>>24])<<24 | uint32(sbox[word>>16&0xff])<<16 | uint32(sbox[word>>8&0xff])<<8 | uint32(sbox[word&0xff])
}

// EncryptBlocks is the cipher of section 5.1 on each block.
func (c *Cipher) EncryptBlocks(out, in []byte) {
	for ; len(in) >= 16; in, out = in[16:], out[16:] {
		k := c.keys[:4*(c.rounds+1)]
		s0 := binary.BigEndian.Uint32(in) ^ k[0]
		s1 := binary.BigEndian.Uint32(in[4:]) ^ k[1]
		s2 := binary.BigEndian.Uint32(in[8:]) ^ k[2]
		s3 := binary.BigEndian.Uint32(in[12:]) ^ k[3]
		for k = k[4:]; len(k) > 4; k = k[4:] {
			s0, s1, s2, s3 = mixed(s0, s1, s2, s3)^k[0], mixed(s1, s2, s3, s0)^k[1],
				mixed(s2, s3, s0, s1)^k[2], mixed(s3, s0, s1, s2)^k[3]
		}
		binary.BigEndian.PutUint32(out, last(&sbox, s0, s1, s2, s3)^k[0])
		binary.BigEndian.PutUint32(out[4:], last(&sbox, s1, s2, s3, s0)^k[1])
		binary.BigEndian.PutUint32(out[8:], last(&sbox, s2, s3, s0, s1)^k[2])
		binary.BigEndian.PutUint32(out[12:], last(&sbox, s3, s0, s1, s2)^k[3])
	}
}

// mixed is SubBytes, ShiftRows and MixColumns for one column, whose bytes are in four columns.
func mixed(a, b, c, d uint32) uint32 {
	return encrypt[a>>24] ^ bits.RotateLeft32(encrypt[b>>16&0xff], -8) ^
		bits.RotateLeft32(encrypt[c>>8&0xff], -16) ^ bits.RotateLeft32(encrypt[d&0xff], -24)
}

// last is the same without MixColumns.
func last(box *[256]byte, a, b, c, d uint32) uint32 {
	return uint32(box[a>>24])<<24 | uint32(box[b>>16&0xff])<<16 | uint32(box[c>>8&0xff])<<8 | uint32(box[d&0xff])
}

// DecryptBlocks is the equivalent inverse cipher of section 5.3.5 on each block.
func (c *Cipher) DecryptBlocks(out, in []byte) {
	for ; len(in) >= 16; in, out = in[16:], out[16:] {
		k := c.inverse[:4*(c.rounds+1)]
		s0 := binary.BigEndian.Uint32(in) ^ k[0]
		s1 := binary.BigEndian.Uint32(in[4:]) ^ k[1]
		s2 := binary.BigEndian.Uint32(in[8:]) ^ k[2]
		s3 := binary.BigEndian.Uint32(in[12:]) ^ k[3]
		for k = k[4:]; len(k) > 4; k = k[4:] {
			s0, s1, s2, s3 = unmixed(s0, s3, s2, s1)^k[0], unmixed(s1, s0, s3, s2)^k[1],
				unmixed(s2, s1, s0, s3)^k[2], unmixed(s3, s2, s1, s0)^k[3]
		}
		binary.BigEndian.PutUint32(out, last(&inverse, s0, s3, s2, s1)^k[0])
		binary.BigEndian.PutUint32(out[4:], last(&inverse, s1, s0, s3, s2)^k[1])
		binary.BigEndian.PutUint32(out[8:], last(&inverse, s2, s1, s0, s3)^k[2])
		binary.BigEndian.PutUint32(out[12:], last(&inverse, s3, s2, s1, s0)^k[3])
	}
}

// unmixed is InvSubBytes, InvShiftRows and InvMixColumns for one column.
func unmixed(a, b, c, d uint32) uint32 {
	return column[inverse[a>>24]] ^ bits.RotateLeft32(column[inverse[b>>16&0xff]], -8) ^
		bits.RotateLeft32(column[inverse[c>>8&0xff]], -16) ^ bits.RotateLeft32(column[inverse[d&0xff]], -24)
}
