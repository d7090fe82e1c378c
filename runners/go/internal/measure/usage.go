package measure

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

const kibibyte = 1024

// Usage is what the kernel counted since the process was made.
type Usage struct {
	UserUs              int64 `json:"user_us"`
	SystemUs            int64 `json:"system_us"`
	MinorFaults         int64 `json:"minor_faults"`
	MajorFaults         int64 `json:"major_faults"`
	VoluntarySwitches   int64 `json:"voluntary_switches"`
	InvoluntarySwitches int64 `json:"involuntary_switches"`
}

// Resources are a usage and the memory at one moment; memory is nil where /proc cannot be read.
type Resources struct {
	Usage
	RSSBytes, PeakRSSBytes *int64
	instrumentReadBytes    int64 // by this reading
}

// ReadUsage returns the kernel's sums for all threads.
func ReadUsage() Usage {
	var usage syscall.Rusage
	// It cannot fail for RUSAGE_SELF.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return Usage{
		UserUs: usage.Utime.Nano() / 1000, SystemUs: usage.Stime.Nano() / 1000,
		MinorFaults: int64(usage.Minflt), MajorFaults: int64(usage.Majflt),
		VoluntarySwitches: int64(usage.Nvcsw), InvoluntarySwitches: int64(usage.Nivcsw),
	}
}

// ReadResources reads the usage first: the reading of memory must not count in it.
func ReadResources() Resources {
	resources := Resources{Usage: ReadUsage()}
	var memory [4096]byte
	text := readProc("/proc/self/status", memory[:])
	resources.instrumentReadBytes = int64(len(text))
	resources.RSSBytes = kibibytesAfter(text, "VmRSS:")
	resources.PeakRSSBytes = kibibytesAfter(text, "VmHWM:")
	return resources
}

// readProc reads a small file of /proc in one call; empty where it cannot be read.
func readProc(path string, memory []byte) []byte {
	file, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	count, err := syscall.Read(file, memory)
	_ = syscall.Close(file)
	if err != nil {
		return nil
	}
	return memory[:count]
}

// numberAfter returns the number behind a label such as "VmRSS:", or nil.
func numberAfter(text []byte, label string) *int64 {
	at := bytes.Index(text, []byte(label))
	if at < 0 {
		return nil
	}
	rest := bytes.TrimLeft(text[at+len(label):], " \t")
	end := bytes.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	number, err := strconv.ParseInt(string(rest[:end]), 10, 64)
	if err != nil {
		return nil
	}
	return &number
}

func kibibytesAfter(text []byte, label string) *int64 {
	kibibytes := numberAfter(text, label)
	if kibibytes == nil {
		return nil
	}
	bytes := *kibibytes * kibibyte
	return &bytes
}

// AvailableMemoryBytes returns MemAvailable, or nil.
func AvailableMemoryBytes() *int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return nil
	}
	return kibibytesAfter(text, "MemAvailable:")
}

// InputOutput is what this process read and wrote, from /proc/self/io; nil with the reason.
type InputOutput struct {
	ReadBytes            *int64  `json:"read_bytes"`
	WrittenBytes         *int64  `json:"written_bytes"`
	StorageReadBytes     *int64  `json:"storage_read_bytes"`
	StorageWrittenBytes  *int64  `json:"storage_written_bytes"`
	InstrumentsReadBytes int64   `json:"instruments_read_bytes"`
	Reason               *string `json:"reason"`
}

// ReadInputOutput returns the sums of now. instruments: the readings that are part of them.
func ReadInputOutput(instruments ...Resources) InputOutput {
	var found InputOutput
	for _, reading := range instruments {
		found.InstrumentsReadBytes += reading.instrumentReadBytes
	}
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		reason := err.Error()
		found.Reason = &reason
		return found
	}
	found.ReadBytes = numberAfter(text, "rchar:")
	found.WrittenBytes = numberAfter(text, "wchar:")
	// Some labels end like others ("cancelled_write_bytes:"): those begin with the line feed before them.
	found.StorageReadBytes = numberAfter(text, "\nread_bytes:")
	found.StorageWrittenBytes = numberAfter(text, "\nwrite_bytes:")
	if found.ReadBytes == nil || found.WrittenBytes == nil || found.StorageReadBytes == nil ||
		found.StorageWrittenBytes == nil {
		reason := "/proc/self/io lacks a line, expected rchar, wchar, read_bytes and write_bytes"
		found.Reason = &reason
	}
	return found
}

// GarbageCollections returns the number of finished collections of this process.
func GarbageCollections() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.NumGC)
}
