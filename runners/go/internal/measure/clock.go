// Package measure reads clocks, memory and what the kernel counts of this process.
package measure

import (
	"syscall"
	"time"
	"unsafe"
)

const (
	clockMonotonic  = 1
	clockProcessCPU = 2
)

// anchor pairs a reading of CLOCK_MONOTONIC with one of package time, which reads the same clock without a system
// call but returns differences only.
var anchor = func() (pair struct {
	ns int64
	at time.Time
}) {
	before := readClock(clockMonotonic)
	pair.at = time.Now()
	pair.ns = before + (readClock(clockMonotonic)-before)/2
	return pair
}()

func readClock(clock uintptr) int64 {
	var now syscall.Timespec
	// It cannot fail: both clocks exist in every kernel that Go supports.
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

// MonotonicNs returns CLOCK_MONOTONIC, the clock of the launcher too, so that stamps of both can be subtracted.
func MonotonicNs() int64 { return anchor.ns + int64(time.Since(anchor.at)) }

// ProcessCPUNs returns the CPU time of all threads of this process.
func ProcessCPUNs() int64 { return readClock(clockProcessCPU) }

// ClockQuality is the smallest step of the clock that was seen, and the cost of a reading.
type ClockQuality struct {
	ResolutionNs int64 `json:"resolution_ns"`
	ReadingNs    int64 `json:"reading_ns"`
}

// ObserveClock reads the clock many times.
func ObserveClock() ClockQuality {
	const readings = 4096
	begin := MonotonicNs()
	last, smallest := begin, int64(0)
	for i := 0; i < readings; i++ {
		now := MonotonicNs()
		if step := now - last; step > 0 && (smallest == 0 || step < smallest) {
			smallest = step
		}
		last = now
	}
	elapsed := last - begin
	if smallest == 0 {
		// A clock that did not advance is at least as coarse as the time waited.
		return ClockQuality{ResolutionNs: 1, ReadingNs: 0}
	}
	return ClockQuality{ResolutionNs: smallest, ReadingNs: elapsed / readings}
}
