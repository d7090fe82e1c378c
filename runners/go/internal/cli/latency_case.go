package cli

import (
	"math"
	"strconv"

	"ciphermark/runner/internal/failure"
	"ciphermark/runner/internal/measure"
	"ciphermark/runner/internal/provider"
)

const (
	// proofBlocks are encrypted after timed key setups, to see that the key is right.
	proofBlocks = 16
	// longestTimedBytes: 'process' takes longer messages.
	longestTimedBytes = 1 << 30
	// messageBuffers: input, ciphertext, plaintext, and the copy that the ciphertext is compared with.
	messageBuffers = 4
)

// A latencyCase is what `latency` measures.
type latencyCase struct {
	implementation      *provider.Implementation
	operation, keySetup string
	fill                string
	key, nonce, data    []byte
	messageBytes        int
	minTimeNs           int64
	timings             int
}

func newLatencyCase(call invocation) (*latencyCase, error) {
	given := call.given
	operation := given["--operation"]
	_, keyGiven := given["--key"]
	_, nonceGiven := given["--nonce"]
	if _, filled := given["--key-fill"]; filled && (keyGiven || nonceGiven) {
		return nil, failure.New(failure.Usage, "--key-fill makes key and nonce; expected it without --key and --nonce")
	}
	if operation == "key-setup" && given["--key-setup"] == "included" {
		return nil, failure.New(failure.Usage, "--key-setup included belongs to encrypt and decrypt; --operation is "+
			"key-setup, which is timed alone")
	}
	implementation, err := call.implementation()
	if err != nil {
		return nil, err
	}
	message, err := messageBytes(implementation, given)
	if err != nil {
		return nil, err
	}
	data := given.number("--ad-length")
	if err := requireLengths(implementation, message, data); err != nil {
		return nil, err
	}
	milliseconds, _ := strconv.ParseFloat(given.or("--min-time-ms", "10"), 64)
	timings, _ := strconv.Atoi(given.or("--timings", "10"))
	timed := &latencyCase{
		implementation: implementation, operation: operation, keySetup: given.or("--key-setup", "apart"),
		fill: given.or("--fill", "counter"), data: make([]byte, data), messageBytes: int(message),
		minTimeNs: int64(math.Round(milliseconds * 1e6)), timings: timings,
	}
	fillBytes(timed.fill, timed.data)
	keyFill := given.or("--key-fill", "counter")
	if timed.key, err = given.secret("--key", implementation.KeyBytes, keyFill); err != nil {
		return nil, err
	}
	timed.nonce, err = given.secret("--nonce", implementation.NonceBytes, keyFill)
	return timed, err
}

func messageBytes(implementation *provider.Implementation, given arguments) (uint64, error) {
	_, hasLength := given["--length"]
	message, data := given.number("--length"), given.number("--ad-length")
	if given["--operation"] != "key-setup" {
		if !hasLength {
			return 0, failure.New(failure.Usage, "--length is required to encrypt or decrypt")
		}
		return message, nil
	}
	if message != 0 || data != 0 {
		return 0, failure.New(failure.BadInput, "--length is %d and --ad-length %d, expected 0 for key-setup: it takes "+
			"no message", message, data)
	}
	return proofBlocks * uint64(implementation.BlockBytes), nil
}

func requireLengths(implementation *provider.Implementation, message, data uint64) error {
	if err := implementation.RequireMessageLength(message); err != nil {
		return err
	}
	if data != 0 && implementation.Kind != provider.AEAD {
		return failure.New(failure.BadInput, "--ad-length is %d, but %s is no AEAD", data, implementation.Algorithm)
	}
	for _, length := range []struct {
		option string
		bytes  uint64
	}{{"--length", message}, {"--ad-length", data}} {
		if length.bytes > longestTimedBytes {
			return failure.New(failure.BadInput, "%s is %d, expected at most %d; 'process' takes longer messages",
				length.option, length.bytes, longestTimedBytes)
		}
	}
	needed := messageBuffers*(message+uint64(implementation.TagBytes)) + data
	if available := measure.AvailableMemoryBytes(); available != nil && needed > uint64(*available) {
		return failure.New(failure.BadInput, "the buffers need %d bytes of memory, and this machine has %d available",
			needed, *available)
	}
	return nil
}
