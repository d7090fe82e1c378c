// Package speck is the block cipher Speck in all ten parameter sets.
//
// Source: R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers, "The Simon and Speck Families
// of Lightweight Block Ciphers", IACR ePrint 2013/404, section 4. Byte order: that of the designers'
// implementation guide: words are little-endian, and the word that the paper prints last comes first.
package speck

import (
	"encoding/binary"
	"math/bits"

	"ciphermark/runner/internal/modes"
)

// A Set of parameters: a row of table 4.1.
type Set struct {
	BlockBits, KeyBits int
	rounds             int
}

// Sets are the ten rows of table 4.1.
var Sets = [10]Set{
	{32, 64, 22},
	{48, 72, 22}, {48, 96, 23},
	{64, 96, 26}, {64, 128, 27},
	{96, 96, 28}, {96, 144, 29},
	{128, 128, 32}, {128, 192, 33}, {128, 256, 34},
}

// Words is the cipher on machine words, the variant `words`.
type Words struct {
	set         Set
	bits        uint // of a word
	mask        uint64
	alpha, beta uint // rotations of section 4.1
	keys        [34]uint64
}

// NewWords returns the cipher without a key.
func NewWords(set Set) *Words {
	wordBits := uint(set.BlockBits / 2)
	words := &Words{set: set, bits: wordBits, mask: ^uint64(0) >> (64 - wordBits), alpha: 8, beta: 3}
	if wordBits == 16 {
		words.alpha, words.beta = 7, 2
	}
	return words
}

// BlockBytes returns the length of a block.
func (w *Words) BlockBytes() int { return w.set.BlockBits / 8 }

// rotateLeft takes 0 < n < w.bits. The counts of the shifts are below 64, which the masks show to the compiler.
func (w *Words) rotateLeft(x uint64, n uint) uint64 {
	return (x<<(n&63) | x>>((w.bits-n)&63)) & w.mask
}

// round is the round function of section 4.1.
func (w *Words) round(x, y, key uint64) (uint64, uint64) {
	x = (w.rotateLeft(x, w.bits-w.alpha)+y)&w.mask ^ key
	return x, w.rotateLeft(y, w.beta) ^ x
}

// SetKey is the key schedule of section 4.2: the round function with the number of the round as its key.
func (w *Words) SetKey(key []byte) {
	wordBytes := int(w.bits / 8)
	var l [3]uint64
	others := len(key)/wordBytes - 1
	for i := 0; i < others; i++ {
		l[i] = modes.LoadWord(key[(i+1)*wordBytes : (i+2)*wordBytes])
	}
	k := modes.LoadWord(key[:wordBytes])
	for i := 0; i < w.set.rounds; i++ {
		w.keys[i] = k
		l[i%others], k = w.round(l[i%others], k, uint64(i))
	}
}

// EncryptBlocks applies the rounds to each block.
func (w *Words) EncryptBlocks(out, in []byte) {
	if w.bits == 64 {
		w.encrypt64(out, in)
		return
	}
	wordBytes := int(w.bits / 8)
	for ; len(in) > 0; in, out = in[2*wordBytes:], out[2*wordBytes:] {
		y, x := modes.LoadWord(in[:wordBytes]), modes.LoadWord(in[wordBytes:2*wordBytes])
		for _, key := range w.keys[:w.set.rounds] {
			x, y = w.round(x, y, key)
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
			y = w.rotateLeft(x^y, w.bits-w.beta)
			x = w.rotateLeft(((x^w.keys[i])-y)&w.mask, w.alpha)
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
			x = (bits.RotateLeft64(x, -8) + y) ^ key
			y = bits.RotateLeft64(y, 3) ^ x
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
			y = bits.RotateLeft64(x^y, -3)
			x = bits.RotateLeft64((x^keys[i])-y, 8)
		}
		binary.LittleEndian.PutUint64(out, y)
		binary.LittleEndian.PutUint64(out[8:], x)
	}
}
