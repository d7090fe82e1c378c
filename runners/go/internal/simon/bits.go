package simon

import (
	"encoding/hex"
	"strconv"
	"strings"
)

const (
	bitsWord   = 64
	bitsRounds = 72
	bitsKey    = 4 // words
)

// Bits is Simon 128/256 on lists of bits, the variant `bits`: the text and the key are hexadecimal strings, the
// cipher works on a list with an element for each bit, and the list becomes a hexadecimal string again. The
// programs that the paper simon-languages measured work like that; the variant shows what it costs.
type Bits struct {
	keys [bitsRounds][]int
}

// BlockBytes returns the length of a block.
func (b *Bits) BlockBytes() int { return 16 }

// SetKey is the key schedule of section 3.2.
func (b *Bits) SetKey(key []byte) {
	all := fromHex(printed(key))
	for i := 0; i < bitsKey; i++ {
		b.keys[i] = all[(bitsKey-1-i)*bitsWord : (bitsKey-i)*bitsWord]
	}
	constant := fromHex("fffffffffffffffc")
	z := sequences[4]
	for i := bitsKey; i < bitsRounds; i++ {
		mixed := xor(rotate(b.keys[i-1], bitsWord-3), b.keys[i-3])
		mixed = xor(mixed, rotate(mixed, bitsWord-1))
		b.keys[i] = xor(xor(constant, b.keys[i-bitsKey]), mixed)
		b.keys[i][bitsWord-1] ^= int(z[(i-bitsKey)%len(z)] - '0')
	}
}

// EncryptBlocks applies the rounds of section 3.1 to each block.
func (b *Bits) EncryptBlocks(out, in []byte) {
	for ; len(in) > 0; in, out = in[16:], out[16:] {
		text := fromHex(printed(in[:16]))
		x, y := text[:bitsWord], text[bitsWord:]
		for _, key := range b.keys {
			x, y = xor(xor(y, f(x)), key), x
		}
		store(out, toHex(x)+toHex(y))
	}
}

// DecryptBlocks applies the inverse rounds to each block.
func (b *Bits) DecryptBlocks(out, in []byte) {
	for ; len(in) > 0; in, out = in[16:], out[16:] {
		text := fromHex(printed(in[:16]))
		x, y := text[:bitsWord], text[bitsWord:]
		for i := len(b.keys) - 1; i >= 0; i-- {
			x, y = y, xor(xor(x, f(y)), b.keys[i])
		}
		store(out, toHex(x)+toHex(y))
	}
}

// f is the function f of section 3.1.
func f(x []int) []int { return xor(and(rotate(x, 1), rotate(x, 8)), rotate(x, 2)) }

// rotate returns a new list, which is x rotated to the left: its first element is the most significant bit.
func rotate(x []int, n int) []int {
	rotated := make([]int, 0, len(x))
	return append(append(rotated, x[n:]...), x[:n]...)
}

func xor(x, y []int) []int {
	result := make([]int, len(x))
	for i := range x {
		result[i] = x[i] ^ y[i]
	}
	return result
}

func and(x, y []int) []int {
	result := make([]int, len(x))
	for i := range x {
		result[i] = x[i] & y[i]
	}
	return result
}

// printed returns the bytes as the paper prints them: the last byte first.
func printed(bytes []byte) string {
	reversed := make([]byte, len(bytes))
	for i, value := range bytes {
		reversed[len(bytes)-1-i] = value
	}
	return hex.EncodeToString(reversed)
}

// store reads what the paper prints.
func store(out []byte, text string) {
	for i := 0; i < 16; i++ {
		value, _ := strconv.ParseUint(text[2*i:2*i+2], 16, 8)
		out[15-i] = byte(value)
	}
}

// fromHex returns the list of bits of a hexadecimal string.
func fromHex(text string) []int {
	list := make([]int, 0, 4*len(text))
	for _, digit := range text {
		value, _ := strconv.ParseUint(string(digit), 16, 4)
		for bit := 3; bit >= 0; bit-- {
			list = append(list, int(value>>uint(bit))&1)
		}
	}
	return list
}

// toHex returns the hexadecimal string of a list of bits.
func toHex(list []int) string {
	var text strings.Builder
	for i := 0; i < len(list); i += 4 {
		value := list[i]<<3 | list[i+1]<<2 | list[i+2]<<1 | list[i+3]
		text.WriteString(strconv.FormatInt(int64(value), 16))
	}
	return text.String()
}
