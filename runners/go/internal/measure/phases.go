package measure

// Names of the phases, in their order.
const (
	Start    = "start"
	Load     = "load"
	KeySetup = "key_setup"
	Encrypt  = "encrypt"
	Decrypt  = "decrypt"
)

// PhaseNames are all of them.
var PhaseNames = []string{Start, Load, KeySetup, Encrypt, Decrypt}

// A Phase is when one part of the work began and ended, and what the kernel had counted around it.
type Phase struct {
	BeginNs, EndNs int64
	Before         *Usage // nil for start, before which there is nothing
	After          Resources
	Collections    int64 // of garbage, between the stamps' outsides
}

// Phases are those of one execution.
type Phases map[string]*Phase

// Begin ends the phase start; call it first in main.
func Begin() Phases {
	end := MonotonicNs()
	return Phases{Start: {EndNs: end, After: ReadResources()}}
}

// Measure stamps, does the work, stamps, and only then reads what the work used.
func (p Phases) Measure(name string, work func() error) error {
	phase := &Phase{}
	collections := GarbageCollections()
	before := ReadUsage()
	phase.Before = &before
	phase.BeginNs = MonotonicNs()
	err := work()
	phase.EndNs = MonotonicNs()
	phase.After = ReadResources()
	phase.Collections = GarbageCollections() - collections
	p[name] = phase
	return err
}
