// Package modes has the modes of operation of block ciphers: SP 800-38A sections 6.1 and 6.5.
package modes

import (
	"encoding/binary"
	"math"
)

// A Block cipher processes whole blocks under one key; in and out are the same memory or do not overlap.
type Block interface {
	BlockBytes() int
	SetKey(key []byte)
	EncryptBlocks(out, in []byte)
	DecryptBlocks(out, in []byte)
}

// ECB is the electronic codebook: each block alone, without a nonce.
type ECB struct{ Block }

// Encrypt takes whole blocks.
func (e ECB) Encrypt(_, in, out []byte) { e.EncryptBlocks(out, in) }

// Decrypt takes whole blocks.
func (e ECB) Decrypt(_, in, out []byte) { e.DecryptBlocks(out, in) }

// batchBytes is a multiple of every length of a block (4, 6, 8, 12 and 16 bytes) and small enough for the
// nearest cache.
const batchBytes = 768

// CTR is counter mode: the nonce is the first counter block, which counts big-endian over the whole block.
type CTR struct {
	Block
	counter   [16]byte
	keystream [batchBytes]byte
}

// NewCTR returns the mode over a block cipher without a key.
func NewCTR(block Block) *CTR { return &CTR{Block: block} }

// MaxCounterBytes returns the length of the message after which a counter repeats (SP 800-38A appendix B); from 8
// bytes a block on it is out of reach.
func MaxCounterBytes(blockBytes int) uint64 {
	if blockBytes >= 8 {
		return math.MaxUint64
	}
	return uint64(blockBytes) << (8 * uint(blockBytes))
}

// Encrypt takes any length.
func (c *CTR) Encrypt(nonce, in, out []byte) {
	block := c.BlockBytes()
	counter := c.counter[:block]
	copy(counter, nonce)
	for len(in) > 0 {
		batch := len(in)
		if batch > batchBytes {
			batch = batchBytes
		}
		keystream := c.keystream[:(batch+block-1)/block*block]
		for at := 0; at < len(keystream); at += block {
			copy(keystream[at:], counter)
			increment(counter)
		}
		c.EncryptBlocks(keystream, keystream)
		XOR(out[:batch], in[:batch], keystream)
		in, out = in[batch:], out[batch:]
	}
}

// Decrypt is the same as Encrypt.
func (c *CTR) Decrypt(nonce, in, out []byte) { c.Encrypt(nonce, in, out) }

func increment(counter []byte) {
	for i := len(counter) - 1; i >= 0; i-- {
		counter[i]++
		if counter[i] != 0 {
			return
		}
	}
}

// XOR writes in ^ mask to out; out and in have the same length, and mask is at least as long.
func XOR(out, in, mask []byte) {
	for len(in) >= 8 {
		word := binary.LittleEndian.Uint64(in) ^ binary.LittleEndian.Uint64(mask)
		binary.LittleEndian.PutUint64(out, word)
		in, out, mask = in[8:], out[8:], mask[8:]
	}
	for i, value := range in {
		out[i] = value ^ mask[i]
	}
}

// CBC is cipher block chaining, SP 800-38A section 6.2: the nonce is the initialization vector.
type CBC struct {
	Block
	chain, ciphertext [16]byte
}

// NewCBC returns the mode over a block cipher without a key.
func NewCBC(block Block) *CBC { return &CBC{Block: block} }

// Encrypt takes whole blocks.
func (c *CBC) Encrypt(nonce, in, out []byte) {
	bytes := c.BlockBytes()
	chain := c.chain[:bytes]
	copy(chain, nonce)
	for ; len(in) > 0; in, out = in[bytes:], out[bytes:] {
		XOR(chain, in[:bytes], chain)
		c.EncryptBlocks(chain, chain)
		copy(out, chain)
	}
}

// Decrypt takes whole blocks.
func (c *CBC) Decrypt(nonce, in, out []byte) {
	bytes := c.BlockBytes()
	chain, ciphertext := c.chain[:bytes], c.ciphertext[:bytes]
	copy(chain, nonce)
	for ; len(in) > 0; in, out = in[bytes:], out[bytes:] {
		copy(ciphertext, in)
		c.DecryptBlocks(out[:bytes], ciphertext)
		XOR(out[:bytes], out[:bytes], chain)
		copy(chain, ciphertext)
	}
}
