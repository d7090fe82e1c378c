// Package simon is the block cipher Simon in all ten parameter sets.
//
// Source: R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers, "The Simon and Speck Families
// of Lightweight Block Ciphers", IACR ePrint 2013/404, section 3. Byte order: that of the designers'
// implementation guide: words are little-endian, and the word that the paper prints last comes first.
package simon

import (
	"encoding/binary"
	"math/bits"

	"ciphermark/runner/internal/modes"
)

// sequences are z0 to z4 of section 3.2, as printed; each has a period of 62 bits.
var sequences = [5]string{
	"11111010001001010110000111001101111101000100101011000011100110",
	"10001110111110010011000010110101000111011111001001100001011010",
	"10101111011100000011010010011000101000010001111110010110110011",
	"11011011101011000110010111100000010010001010011100110100001111",
	"11010001111001101011011000100000010111000011001010010011101111",
}

// A Set of parameters: a row of table 3.1.
type Set struct {
	BlockBits, KeyBits int
	rounds             int
	sequence           int
}

// Sets are the ten rows of table 3.1.
var Sets = [10]Set{
	{32, 64, 32, 0},
	{48, 72, 36, 0}, {48, 96, 36, 1},
	{64, 96, 42, 2}, {64, 128, 44, 3},
	{96, 96, 52, 2}, {96, 144, 54, 3},
	{128, 128, 68, 2}, {128, 192, 69, 3}, {128, 256, 72, 4},
}

// Words is the cipher on machine words, the variant `words`.
type Words struct {
	set  Set
	bits uint // of a word
	mask uint64
	keys [72]uint64
}

// NewWords returns the cipher without a key.
func NewWords(set Set) *Words {
	wordBits := uint(set.BlockBits / 2)
	return &Words{set: set, bits: wordBits, mask: ^uint64(0) >> (64 - wordBits)}
}

// BlockBytes returns the length of a block.
func (w *Words) BlockBytes() int { return w.set.BlockBits / 8 }

// rotateLeft takes 0 < n < w.bits. The counts of the shifts are below 64, which the masks show to the compiler.
func (w *Words) rotateLeft(x uint64, n uint) uint64 {
	return (x<<(n&63) | x>>((w.bits-n)&63)) & w.mask
}

// SetKey is the key schedule of section 3.2.
func (w *Words) SetKey(key []byte) {
	wordBytes := int(w.bits / 8)
	keyWords := len(key) / wordBytes
	for i := 0; i < keyWords; i++ {
		w.keys[i] = modes.LoadWord(key[i*wordBytes : (i+1)*wordBytes])
	}
	z := sequences[w.set.sequence]
	for i := keyWords; i < w.set.rounds; i++ {
		mixed := w.rotateLeft(w.keys[i-1], w.bits-3)
		if keyWords == 4 {
			mixed ^= w.keys[i-3]
		}
		mixed ^= w.rotateLeft(mixed, w.bits-1)
		bit := uint64(z[(i-keyWords)%len(z)] - '0')
		w.keys[i] = (^w.keys[i-keyWords] ^ mixed ^ bit ^ 3) & w.mask
	}
}

// EncryptBlocks applies the rounds of section 3.1 to each block.
func (w *Words) EncryptBlocks(out, in []byte) {
	if w.bits == 64 {
		w.encrypt64(out, in)
		return
	}
	wordBytes := int(w.bits / 8)
	for ; len(in) > 0; in, out = in[2*wordBytes:], out[2*wordBytes:] {
		y, x := modes.LoadWord(in[:wordBytes]), modes.LoadWord(in[wordBytes:2*wordBytes])
		for _, key := range w.keys[:w.set.rounds] {
			x, y = y^w.rotateLeft(x, 1)&w.rotateLeft(x, 8)^w.rotateLeft(x, 2)^key, x
		}
		modes.StoreWord(out[:wordBytes], y)
		modes.StoreWord(out[wordBytes:2*wordBytes], x)
	}
}

// DecryptBlocks applies the inverse rounds to each block.
func (w *Words) DecryptBlocks(out, in []byte) {
	if w.bits == 64 {
		w.decrypt64(out, in)
		return
	}
	wordBytes := int(w.bits / 8)
	for ; len(in) > 0; in, out = in[2*wordBytes:], out[2*wordBytes:] {
		y, x := modes.LoadWord(in[:wordBytes]), modes.LoadWord(in[wordBytes:2*wordBytes])
		for i := w.set.rounds - 1; i >= 0; i-- {
			y, x = x^w.rotateLeft(y, 1)&w.rotateLeft(y, 8)^w.rotateLeft(y, 2)^w.keys[i], y
		}
		modes.StoreWord(out[:wordBytes], y)
		modes.StoreWord(out[wordBytes:2*wordBytes], x)
	}
}

// encrypt64 is EncryptBlocks where a word of the cipher is a word of the machine: rotations are instructions.
func (w *Words) encrypt64(out, in []byte) {
	keys := w.keys[:w.set.rounds]
	for ; len(in) >= 16; in, out = in[16:], out[16:] {
		y, x := binary.LittleEndian.Uint64(in), binary.LittleEndian.Uint64(in[8:])
		for _, key := range keys {
			x, y = y^round64(x)^key, x
		}
		binary.LittleEndian.PutUint64(out, y)
		binary.LittleEndian.PutUint64(out[8:], x)
	}
}

func (w *Words) decrypt64(out, in []byte) {
	keys := w.keys[:w.set.rounds]
	for ; len(in) >= 16; in, out = in[16:], out[16:] {
		y, x := binary.LittleEndian.Uint64(in), binary.LittleEndian.Uint64(in[8:])
		for i := len(keys) - 1; i >= 0; i-- {
			y, x = x^round64(y)^keys[i], y
		}
		binary.LittleEndian.PutUint64(out, y)
		binary.LittleEndian.PutUint64(out[8:], x)
	}
}

// round64 is the function f of section 3.1.
func round64(x uint64) uint64 {
	return bits.RotateLeft64(x, 1)&bits.RotateLeft64(x, 8) ^ bits.RotateLeft64(x, 2)
}
