package program

import (
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
	"time"
	"unsafe"

	"ciphermark/runner/internal/provider"
)

// work is that on one message: its buffers, and the operations on them.
type work struct {
	memory     []byte
	buffers    map[string][]byte
	operations map[string]func() error
}

// newWork returns the work of an implementation, or of no cipher. bytes is the length of the named buffer.
func newWork(implementation *provider.Implementation, key, nonce, data []byte, buffer string, bytes int) (*work, error) {
	tagBytes, keyed := 0, (*provider.Keyed)(nil)
	if implementation != nil {
		tagBytes, keyed = implementation.TagBytes, implementation.New()
	}
	messageBytes, ciphertextBytes := bytes, bytes+tagBytes
	if buffer == "ciphertext" {
		messageBytes, ciphertextBytes = bytes-tagBytes, bytes
		if messageBytes < 0 {
			messageBytes = 0 // Decrypt rejects the length.
		}
	}
	memory, buffers, err := allocate(messageBytes, ciphertextBytes, messageBytes)
	if err != nil {
		return nil, badInput{err}
	}
	message, ciphertext, plaintext := buffers[0], buffers[1], buffers[2]
	return &work{
		memory:  memory,
		buffers: map[string][]byte{"message": message, "ciphertext": ciphertext, "plaintext": plaintext},
		operations: map[string]func() error{
			"key-setup": func() error { return keyed.SetKey(key) },
			"encrypt":   func() error { return keyed.Encrypt(nonce, data, message, ciphertext) },
			"decrypt":   func() error { return keyed.Decrypt(nonce, data, ciphertext, plaintext) },
			"nothing":   func() error { return nil },
		},
	}, nil
}

// allocate returns one mapping with buffers of these lengths, each on its own pages and all of them touched.
//
// A mapping in place of the heap: the garbage collector does not see the buffers, and huge pages, which depend on the
// machine's past, can be refused.
func allocate(lengths ...int) (memory []byte, buffers [][]byte, err error) {
	page := os.Getpagesize()
	total := 0
	for _, length := range lengths {
		total += (length/page + 1) * page
	}
	memory, err = syscall.Mmap(-1, 0, total, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, nil, fmt.Errorf("the buffers need %d bytes of memory: %w", total, err)
	}
	// A kernel without huge pages returns EINVAL, which has the desired effect.
	_ = syscall.Madvise(memory, syscall.MADV_NOHUGEPAGE)
	for at := 0; at < total; at += page {
		memory[at] = 0
	}
	rest := memory
	for _, length := range lengths {
		buffers = append(buffers, rest[:length:length])
		rest = rest[(length/page+1)*page:]
	}
	return memory, buffers, nil
}

// free releases the buffers. No work has none.
func (w *work) free() {
	if w != nil {
		_ = syscall.Munmap(w.memory) // It cannot fail: the mapping exists.
	}
}

// A reading is of one timing; collections are those of garbage.
type reading struct{ wallNs, cpuNs, collections int64 }

// time reads the clocks around so many iterations of all the operations.
func (w *work) time(names []string, iterations uint64, timings int) ([]reading, error) {
	call, err := w.joined(names)
	if err != nil {
		return nil, err
	}
	readings := make([]reading, timings)
	for i := range readings {
		if err := readings[i].take(call, iterations); err != nil {
			return nil, err
		}
	}
	return readings, nil
}

// joined returns one function for all operations: a loop over them would be a part of each iteration.
func (w *work) joined(names []string) (func() error, error) {
	first, found := w.operations[names[0]]
	if !found {
		return nil, fmt.Errorf("'%s' is no operation", names[0])
	}
	if len(names) == 1 {
		return first, nil
	}
	then, err := w.joined(names[1:])
	return func() error {
		if err := first(); err != nil {
			return err
		}
		return then()
	}, err
}

// start: package time reads CLOCK_MONOTONIC without a system call, but returns differences only.
var start = time.Now()

func (r *reading) take(call func() error, iterations uint64) error {
	collections := garbageCollections()
	cpuBegin := cpuNs()
	begin := time.Since(start)
	for i := uint64(0); i < iterations; i++ {
		if err := call(); err != nil {
			return err
		}
	}
	r.wallNs = int64(time.Since(start) - begin)
	r.cpuNs = cpuNs() - cpuBegin
	r.collections = garbageCollections() - collections
	return nil
}

// cpuNs returns the CPU time of all threads of this process.
func cpuNs() int64 {
	const clockProcessCPU = 2
	var now syscall.Timespec
	// It cannot fail: every kernel that Go supports has this clock.
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockProcessCPU, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

// gcStats keeps its memory, so that a reading allocates none.
var gcStats debug.GCStats

// garbageCollections returns the number of finished collections. It does not stop the program, as reading
// runtime.MemStats does.
func garbageCollections() int64 {
	debug.ReadGCStats(&gcStats)
	return gcStats.NumGC
}
