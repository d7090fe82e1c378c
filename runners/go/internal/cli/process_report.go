package cli

import (
	"ciphermark/runner/internal/measure"
	"ciphermark/runner/internal/provider"
)

const (
	noCounters = "Go's standard library cannot read hardware counters"
	noClock    = "Go has no chain of multiplications to find the clock with"
)

var counterNames = []string{"branch_misses", "cache_misses", "task_clock_ns", "page_faults", "context_switches",
	"cpu_migrations"}

// phaseCounts are those of both cipher phases, or nil with the reason.
type phaseCounts struct {
	Encrypt *int64  `json:"encrypt"`
	Decrypt *int64  `json:"decrypt"`
	Reason  *string `json:"reason"`
}

type phaseReading struct {
	Phase string `json:"phase"`
	measure.Usage
	RSSBytes *int64         `json:"rss_bytes"`
	Begin    *measure.Usage `json:"begin"`
}

// coreClock is unknown here.
type coreClock struct {
	BeforeHz *float64 `json:"before_hz"`
	AfterHz  *float64 `json:"after_hz"`
	Hz       *float64 `json:"hz"`
	Reason   string   `json:"reason"`
}

type processReport struct {
	Protocol         int                    `json:"protocol"`
	Command          string                 `json:"command"`
	Provider         string                 `json:"provider"`
	Algorithm        string                 `json:"algorithm"`
	Variant          string                 `json:"variant"`
	Masking          *string                `json:"masking"`
	InputBytes       int                    `json:"input_bytes"`
	PaddedBytes      int                    `json:"padded_bytes"`
	OutputBytes      int                    `json:"output_bytes"`
	StampsNs         map[string]int64       `json:"stamps_ns"`
	BeginsNs         map[string]int64       `json:"begins_ns"`
	Phases           []phaseReading         `json:"phases"`
	PeakRSSBytes     *int64                 `json:"peak_rss_bytes"`
	BaselineRSSBytes *int64                 `json:"baseline_rss_bytes"`
	BuffersBytes     int                    `json:"buffers_bytes"`
	IO               *measure.InputOutput   `json:"io"`
	Cycles           phaseCounts            `json:"cycles"`
	Instructions     phaseCounts            `json:"instructions"`
	Counters         map[string]phaseCounts `json:"counters"`
	CoreClock        coreClock              `json:"core_clock"`
	DerivedCycles    phaseCounts            `json:"derived_cycles"`
	ClockProbeWallNs *int64                 `json:"clock_probe_wall_ns"`
	Collections      *phaseCounts           `json:"garbage_collections,omitempty"`
	CiphertextSHA256 string                 `json:"output_sha256"`
	Verified         bool                   `json:"verified"`
}

func absent(reason string) phaseCounts { return phaseCounts{Reason: &reason} }

// complete returns the report with everything that the phases recorded.
func (r processReport) complete(phases measure.Phases) processReport {
	r.Protocol, r.Provider = 2, provider.Name
	r.StampsNs, r.BeginsNs = map[string]int64{"main": phases[measure.Start].EndNs}, map[string]int64{}
	for _, name := range measure.PhaseNames {
		phase := phases[name]
		r.Phases = append(r.Phases, phaseReading{name, phase.After.Usage, phase.After.RSSBytes, phase.Before})
		if name != measure.Start {
			r.StampsNs[name], r.BeginsNs[name] = phase.EndNs, phase.BeginNs
		}
	}
	r.PeakRSSBytes = phases[measure.Decrypt].After.PeakRSSBytes
	r.BaselineRSSBytes = phases[measure.Start].After.RSSBytes
	r.Cycles, r.Instructions = absent(noCounters), absent(noCounters)
	r.Counters = map[string]phaseCounts{}
	for _, name := range counterNames {
		r.Counters[name] = absent(noCounters)
	}
	r.CoreClock, r.DerivedCycles = coreClock{Reason: noClock}, absent(noClock)
	return r
}

func collections(phases measure.Phases) *phaseCounts {
	return &phaseCounts{Encrypt: &phases[measure.Encrypt].Collections, Decrypt: &phases[measure.Decrypt].Collections}
}

// readings returns those between the phases.
func readings(phases measure.Phases) []measure.Resources {
	var all []measure.Resources
	for _, name := range measure.PhaseNames {
		all = append(all, phases[name].After)
	}
	return all
}
