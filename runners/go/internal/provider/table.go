package provider

import (
	"fmt"
	"math"

	"ciphermark/runner/internal/aes"
	"ciphermark/runner/internal/ascon"
	"ciphermark/runner/internal/chacha20"
	"ciphermark/runner/internal/chachapoly"
	"ciphermark/runner/internal/modes"
	"ciphermark/runner/internal/simon"
	"ciphermark/runner/internal/speck"
	"ciphermark/runner/internal/tinyjambu"
)

const (
	// Name of this provider.
	Name = "go"
	// Link is how the program is linked.
	Link = "static"

	ref = "ref"
)

// Implementations returns all of this program.
func Implementations() []*Implementation {
	var all []*Implementation
	for _, bits := range []int{128, 192, 256} {
		name := fmt.Sprintf("aes-%d", bits)
		block := blockCipher{name, ref, bits / 8, 16, "FIPS 197", false, true, func() modes.Block { return new(aes.Cipher) }}
		all = append(all, block.ecb(), block.cbc(), block.ctr())
	}
	for _, set := range simon.Sets {
		set := set
		name := fmt.Sprintf("simon-%d-%d", set.BlockBits, set.KeyBits)
		block := blockCipher{name, ref, set.KeyBits / 8, set.BlockBits / 8, "IACR ePrint 2013/404, Simon", true, true,
			func() modes.Block { return simon.NewWords(set) }}
		if set.KeyBits == 256 {
			block.variant = "words"
		}
		all = append(all, block.ecb(), block.ctr())
		if set.KeyBits == 256 {
			block.variant, block.first, block.constantTime = "bits", false, false
			block.make = func() modes.Block { return new(simon.Bits) }
			all = append(all, block.ecb(), block.ctr())
		}
	}
	for _, set := range speck.Sets {
		set := set
		name := fmt.Sprintf("speck-%d-%d", set.BlockBits, set.KeyBits)
		block := blockCipher{name, ref, set.KeyBits / 8, set.BlockBits / 8, "IACR ePrint 2013/404, Speck", true, true,
			func() modes.Block { return speck.NewWords(set) }}
		all = append(all, block.ecb(), block.ctr())
	}
	return append(append(all, streams()...), aeads()...)
}

// A blockCipher describes what its modes share.
type blockCipher struct {
	name, variant        string
	keyBytes, blockBytes int
	source               string
	constantTime, first  bool
	make                 func() modes.Block
}

func (b blockCipher) mode(mode, section string) *Implementation {
	return &Implementation{
		Algorithm: b.name + "-" + mode, Variant: b.variant, Kind: BlockMode, KeyBytes: b.keyBytes,
		NonceBytes: b.blockBytes, BlockBytes: b.blockBytes, ConstantTime: b.constantTime, Default: b.first,
		Source: b.source + "; SP 800-38A section " + section, MaxMessageBytes: math.MaxUint64,
	}
}

func (b blockCipher) ecb() *Implementation {
	described := b.mode("ecb", "6.1")
	described.NonceBytes, described.WholeBlocksOnly = 0, true
	described.newMessage = func() Message { return modes.ECB{Block: b.make()} }
	return described
}

func (b blockCipher) cbc() *Implementation {
	described := b.mode("cbc", "6.2")
	described.WholeBlocksOnly = true
	described.newMessage = func() Message { return modes.NewCBC(b.make()) }
	return described
}

func (b blockCipher) ctr() *Implementation {
	described := b.mode("ctr", "6.5")
	described.MaxMessageBytes = modes.MaxCounterBytes(b.blockBytes)
	described.newMessage = func() Message { return modes.NewCTR(b.make()) }
	return described
}

func streams() []*Implementation {
	describe := func(algorithm string, keyBytes, counterWords int, source string) *Implementation {
		return &Implementation{
			Algorithm: algorithm, Variant: ref, Kind: Stream, KeyBytes: keyBytes, NonceBytes: 16 - 4*counterWords,
			BlockBytes: chacha20.BlockBytes, ConstantTime: true, Default: true, Source: source,
			MaxMessageBytes: chacha20.New(counterWords).MaxMessageBytes(),
			ciphers:         ciphers{newMessage: func() Message { return chacha20.New(counterWords) }},
		}
	}
	const original = "D. J. Bernstein, ChaCha, a variant of Salsa20 (2008)"
	return []*Implementation{
		describe("chacha20-128", 16, 2, original),
		describe("chacha20-256", 32, 2, original),
		describe("chacha20-ietf", 32, 1, "RFC 8439 section 2.4"),
	}
}

func aeads() []*Implementation {
	described := []*Implementation{
		{Algorithm: "chacha20-poly1305", KeyBytes: 32, NonceBytes: 12, TagBytes: chachapoly.TagBytes,
			BlockBytes: chacha20.BlockBytes, Source: "RFC 8439 section 2.8", MaxMessageBytes: chachapoly.MaxMessageBytes,
			ciphers: ciphers{newAuthenticated: func() Authenticated { return chachapoly.New() }}},
		{Algorithm: "ascon-aead128", KeyBytes: 16, NonceBytes: 16, TagBytes: ascon.TagBytes,
			BlockBytes: ascon.RateBytes, Source: "NIST SP 800-232 section 4", MaxMessageBytes: math.MaxUint64,
			ciphers: ciphers{newAuthenticated: func() Authenticated { return new(ascon.Cipher) }}},
	}
	for _, bits := range []int{128, 192, 256} {
		described = append(described, &Implementation{
			Algorithm: fmt.Sprintf("tinyjambu-%d", bits), KeyBytes: bits / 8, NonceBytes: tinyjambu.NonceBytes,
			TagBytes: tinyjambu.TagBytes, BlockBytes: tinyjambu.BlockBytes,
			Source: "TinyJAMBU version 2 (2021) section 3", MaxMessageBytes: tinyjambu.MaxMessageBytes,
			ciphers: ciphers{newAuthenticated: func() Authenticated { return new(tinyjambu.Cipher) }}})
	}
	for _, one := range described {
		one.Variant, one.Kind, one.ConstantTime, one.Default = ref, AEAD, true, true
	}
	return described
}
