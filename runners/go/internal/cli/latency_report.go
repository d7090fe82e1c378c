package cli

import (
	"crypto/sha256"
	"encoding/hex"

	"ciphermark/runner/internal/measure"
	"ciphermark/runner/internal/provider"
)

type latencyReport struct {
	Protocol            int                  `json:"protocol"`
	Command             string               `json:"command"`
	Provider            string               `json:"provider"`
	Algorithm           string               `json:"algorithm"`
	Variant             string               `json:"variant"`
	Masking             *string              `json:"masking"`
	Operation           string               `json:"operation"`
	KeySetup            string               `json:"key_setup"`
	MessageBytes        int                  `json:"message_bytes"`
	AssociatedDataBytes int                  `json:"associated_data_bytes"`
	Fill                string               `json:"fill"`
	Clock               measure.ClockQuality `json:"clock"`
	MinTimingNs         int64                `json:"min_timing_ns"`
	Cold                struct {
		KeySetup coldTiming  `json:"key_setup"`
		Call     *coldTiming `json:"call"`
	} `json:"cold"`
	Warm              warmTimings       `json:"warm"`
	Settling          settling          `json:"settling"`
	Timings           []timing          `json:"timings"`
	CountersReason    string            `json:"counters_reason"`
	CounterReasons    map[string]string `json:"counter_reasons"`
	CollectionsReason *string           `json:"garbage_collections_reason"`
	MultiplyCycles    *int              `json:"multiply_cycles"`
	MinCycles         *int64            `json:"min_cycles"`
	PeakRSSBytes      *int64            `json:"peak_rss_bytes"`
	BaselineRSSBytes  *int64            `json:"baseline_rss_bytes"`
	OutputSHA256      string            `json:"output_sha256"`
	VerifiedBy        []string          `json:"verified_by"`
	Verified          bool              `json:"verified"`
}

// complete returns the report with the case and its output.
func (r latencyReport) complete(work *timedWork, verified bool) latencyReport {
	digest := sha256.Sum256(work.output())
	r.Protocol, r.Command, r.Provider = 2, "latency", provider.Name
	r.Algorithm, r.Variant = work.implementation.Algorithm, work.implementation.Variant
	r.Operation, r.KeySetup, r.Fill = work.operation, work.keySetup, work.fill
	if work.operation != "key-setup" {
		r.MessageBytes = work.messageBytes
	}
	r.AssociatedDataBytes = len(work.data)
	r.CountersReason, r.CounterReasons = noCounters, map[string]string{}
	for _, name := range counterNames {
		r.CounterReasons[name] = noCounters
	}
	r.OutputSHA256, r.Verified = hex.EncodeToString(digest[:]), verified
	return r
}
