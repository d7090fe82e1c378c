package provider

// #include "ciphermark/ffi.h"
import "C"

const (
	// Name of this provider.
	Name = "go-binding"
	// Link is how the program is linked.
	Link = "dynamic"
)

var kinds = map[uint32]Kind{
	C.CIPHERMARK_BLOCK_MODE: BlockMode,
	C.CIPHERMARK_STREAM:     Stream,
	C.CIPHERMARK_AEAD:       AEAD,
}

// Implementations returns all algorithms of the library, which selects the variant for the processor.
func Implementations() []*Implementation {
	all := make([]*Implementation, C.ciphermark_algorithm_count())
	for number := range all {
		one := C.ciphermark_algorithm_at(C.size_t(number))
		all[number] = &Implementation{
			Algorithm: C.GoString(one.name), Variant: "library", Kind: kinds[one.kind], KeyBytes: int(one.key_bytes),
			NonceBytes: int(one.nonce_bytes), TagBytes: int(one.tag_bytes), BlockBytes: int(one.block_bytes),
			WholeBlocksOnly: one.whole_blocks_only != 0, ConstantTime: one.constant_time != 0, Default: true,
			Source: C.GoString(one.source), MaxMessageBytes: uint64(one.max_message_bytes),
			ciphers: ciphers{number: C.size_t(number)},
		}
	}
	return all
}
