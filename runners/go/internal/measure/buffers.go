package measure

import (
	"os"
	"syscall"

	"ciphermark/runner/internal/failure"
)

// Buffers are the three buffers of one execution in one mapping, each on its own pages and all of them touched.
//
// A mapping in place of the heap: the pages are new in every execution, the garbage collector does not see them, and
// huge pages, which depend on the machine's past, can be refused.
type Buffers struct {
	Input, Ciphertext, Plaintext []byte
	TotalBytes                   int // whole pages of all three
}

// NewBuffers returns a failure if the machine has not that much memory.
func NewBuffers(inputBytes, ciphertextBytes int) (*Buffers, error) {
	inputPages, ciphertextPages := pageRounded(inputBytes), pageRounded(ciphertextBytes)
	total := 2*inputPages + ciphertextPages
	memory, err := syscall.Mmap(-1, 0, total, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, failure.New(failure.BadInput, "the three buffers need %d bytes of memory: %v", total, err)
	}
	// A kernel without huge pages returns EINVAL, which has the desired effect.
	_ = syscall.Madvise(memory, syscall.MADV_NOHUGEPAGE)
	for at := 0; at < total; at += os.Getpagesize() {
		memory[at] = 0
	}
	return &Buffers{
		Input:      memory[:inputBytes:inputPages],
		Ciphertext: memory[inputPages : inputPages+ciphertextBytes : inputPages+ciphertextPages],
		Plaintext:  memory[inputPages+ciphertextPages : inputPages+ciphertextPages+inputBytes],
		TotalBytes: total,
	}, nil
}

// pageRounded returns at least one page, because a mapping cannot be empty.
func pageRounded(bytes int) int {
	page := os.Getpagesize()
	if bytes == 0 {
		return page
	}
	return (bytes + page - 1) / page * page
}
