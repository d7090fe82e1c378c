package cli

import (
	"ciphermark/runner/internal/measure"
	"ciphermark/runner/internal/provider"
)

const (
	warmCalls = 16
	// Of the search for the number of iterations.
	growth = 8
	// The rule of settling: the fastest of the last three batches is within 2 % of the three before.
	settlingRule      = "fastest of 3 batches within 2 % of the 3 before"
	settlingWindow    = 3
	settlingTolerance = 0.02
	settlingLimitNs   = 2_000_000_000
	// A batch so much faster than required has too few iterations by now.
	fasterThanRequired = 1.5
)

// A timing is of consecutive calls, timed together; cycles are unknown here.
type timing struct {
	Iterations    uint64            `json:"iterations"`
	WallNs        int64             `json:"wall_ns"`
	CPUNs         int64             `json:"cpu_ns"`
	Cycles        *int64            `json:"cycles"`
	Instructions  *int64            `json:"instructions"`
	Counters      map[string]*int64 `json:"counters"`
	CoreClock     coreClock         `json:"core_clock"`
	DerivedCycles *float64          `json:"derived_cycles"`
	Impossible    *bool             `json:"impossible"`
	Collections   int64             `json:"garbage_collections"`
}

type coldTiming struct {
	WallNs       int64  `json:"wall_ns"`
	CPUNs        int64  `json:"cpu_ns"`
	Cycles       *int64 `json:"cycles"`
	Instructions *int64 `json:"instructions"`
}

type warmTimings struct {
	Calls  int     `json:"calls"`
	WallNs []int64 `json:"wall_ns"`
}

type settling struct {
	Rule    string `json:"rule"`
	Batches int    `json:"batches"`
	Calls   uint64 `json:"calls"`
	WallNs  int64  `json:"wall_ns"`
	Settled bool   `json:"settled"`
}

// A stopwatch times one kind of call and counts how many were made.
type stopwatch struct {
	call  func()
	calls uint64
}

// time makes so many calls; the CPU clock runs from just outside the wall clock.
func (s *stopwatch) time(iterations uint64) (wallNs, cpuNs int64) {
	s.calls += iterations
	call := s.call
	cpuBegin := measure.ProcessCPUNs()
	begin := measure.MonotonicNs()
	for i := uint64(0); i < iterations; i++ {
		call()
	}
	wallNs = measure.MonotonicNs() - begin
	return wallNs, measure.ProcessCPUNs() - cpuBegin
}

func (s *stopwatch) cold() coldTiming {
	wallNs, cpuNs := s.time(1)
	return coldTiming{WallNs: wallNs, CPUNs: cpuNs}
}

// calibrate returns how many calls last at least so long, seen twice in a row: a pause that the kernel put into one
// timing must not pass for work.
func (s *stopwatch) calibrate(minNs int64) uint64 {
	for iterations := uint64(1); ; {
		seen, _ := s.time(iterations)
		if second, _ := s.time(iterations); second < seen {
			seen = second
		}
		if seen >= minNs {
			return iterations
		}
		if seen < 1 {
			seen = 1
		}
		// A tenth more than needed, so that the next look is the last one; far away in smaller steps.
		needed := uint64(1.1 * float64(minNs) / float64(seen) * float64(iterations))
		if needed <= iterations {
			needed = iterations + 1
		}
		if needed > growth*iterations {
			needed = growth * iterations
		}
		iterations = needed
	}
}

// settle times batches until they are as fast as they become.
func (s *stopwatch) settle(iterations uint64) (found settling, fastest int64) {
	found.Rule = settlingRule
	var batches []int64
	for !found.Settled && found.WallNs < settlingLimitNs {
		wallNs, _ := s.time(iterations)
		batches = append(batches, wallNs)
		found.WallNs += wallNs
		if len(batches) >= 2*settlingWindow {
			last := smallest(batches[len(batches)-settlingWindow:])
			before := smallest(batches[len(batches)-2*settlingWindow : len(batches)-settlingWindow])
			found.Settled = float64(last) >= (1-settlingTolerance)*float64(before)
		}
	}
	found.Batches = len(batches)
	if len(batches) > settlingWindow {
		batches = batches[len(batches)-settlingWindow:]
	}
	return found, smallest(batches)
}

func smallest(values []int64) int64 {
	least := values[0]
	for _, value := range values {
		if value < least {
			least = value
		}
	}
	return least
}

// measure does all timings of a case. What is verified later is what the last of them made.
func (w *timedWork) measure(report *latencyReport) error {
	keySetup := &stopwatch{call: w.setKey}
	report.Cold.KeySetup = keySetup.cold()
	if w.err != nil {
		return provider.Require(w.err, "key setup")
	}
	watch := &stopwatch{call: w.call()}
	if w.operation == "key-setup" {
		watch.calls = keySetup.calls
	} else {
		first := watch.cold()
		report.Cold.Call = &first
		if w.err != nil {
			return provider.Require(w.err, "the first call")
		}
	}
	report.Warm.Calls = warmCalls
	for i := 0; i < warmCalls; i++ {
		wallNs, _ := watch.time(1)
		report.Warm.WallNs = append(report.Warm.WallNs, wallNs)
	}
	iterations := watch.calibrate(report.MinTimingNs)
	var fastest int64
	report.Settling, fastest = watch.settle(iterations)
	if float64(fastest)*fasterThanRequired < float64(report.MinTimingNs) {
		iterations = watch.calibrate(report.MinTimingNs)
	}
	report.Settling.Calls = watch.calls
	for i := 0; i < w.timings; i++ {
		if i+1 == w.timings {
			fillBytes("zero", w.output())
		}
		collections := measure.GarbageCollections()
		wallNs, cpuNs := watch.time(iterations)
		report.Timings = append(report.Timings, timing{Iterations: iterations, WallNs: wallNs, CPUNs: cpuNs,
			Counters: noCounts(), CoreClock: coreClock{Reason: noClock},
			Collections: measure.GarbageCollections() - collections})
	}
	return nil
}

func noCounts() map[string]*int64 {
	counts := map[string]*int64{}
	for _, name := range counterNames {
		counts[name] = nil
	}
	return counts
}
