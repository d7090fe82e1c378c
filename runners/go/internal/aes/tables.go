package aes

import (
	"math/bits"
	"sync"
)

// The S-boxes of sections 5.1.1 and 5.3.2, and for each value of a byte the column that SubBytes and MixColumns
// (or their inverses) make of it; the other three rows are rotations of it.
var (
	once            sync.Once
	sbox, inverse   [256]byte
	encrypt, column [256]uint32
)

// xtime multiplies by x in GF(2^8), section 4.2.1.
func xtime(a byte) byte { return a<<1 ^ a>>7*0x1b }

func multiply(a, b byte) byte {
	var product byte
	for ; b != 0; b >>= 1 {
		product ^= a * (b & 1)
		a = xtime(a)
	}
	return product
}

// makeTables walks over all values but 0 with the generator 3, whose inverse is 0xf6.
func makeTables() {
	value, inverted := byte(1), byte(1)
	for i := 0; i < 255; i++ {
		sbox[value] = affine(inverted)
		value = multiply(value, 3)
		inverted = multiply(inverted, 0xf6)
	}
	sbox[0] = affine(0)
	for i, s := range sbox {
		inverse[s] = byte(i)
		encrypt[i] = uint32(multiply(s, 2))<<24 | uint32(s)<<16 | uint32(s)<<8 | uint32(multiply(s, 3))
	}
	for i := range column {
		b := byte(i)
		column[i] = uint32(multiply(b, 14))<<24 | uint32(multiply(b, 9))<<16 |
			uint32(multiply(b, 13))<<8 | uint32(multiply(b, 11))
	}
}

// affine is the transformation of section 5.1.1.
func affine(b byte) byte {
	return b ^ bits.RotateLeft8(b, 1) ^ bits.RotateLeft8(b, 2) ^ bits.RotateLeft8(b, 3) ^ bits.RotateLeft8(b, 4) ^ 0x63
}
