package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"ciphermark/runner/internal/failure"
	"ciphermark/runner/internal/measure"
	"ciphermark/runner/internal/provider"
)

// process is the measured work: read a file, set up the key, encrypt, decrypt. Checking and reporting come after work
// end.
func process(call invocation) error {
	implementation, err := call.implementation()
	if err != nil {
		return err
	}
	key, err := call.given.secret("--key", implementation.KeyBytes, "counter")
	if err != nil {
		return err
	}
	nonce, err := call.given.secret("--nonce", implementation.NonceBytes, "counter")
	if err != nil {
		return err
	}
	file, err := openInput(call.given["--in"])
	if err != nil {
		return err
	}
	padded := file.bytes
	if implementation.WholeBlocksOnly {
		padded = (padded + implementation.BlockBytes - 1) / implementation.BlockBytes * implementation.BlockBytes
	}
	if err := implementation.RequireMessageLength(uint64(padded)); err != nil {
		return err
	}
	keyed := implementation.New()
	buffers, err := load(call.phases, file, padded, implementation.TagBytes)
	if err != nil {
		return err
	}
	err = call.phases.Measure(measure.KeySetup, func() error { return keyed.SetKey(key) })
	if err != nil {
		return provider.Require(err, "key setup")
	}
	err = call.phases.Measure(measure.Encrypt, func() error {
		return keyed.Encrypt(nonce, nil, buffers.Input, buffers.Ciphertext)
	})
	if err != nil {
		return provider.Require(err, "encrypt")
	}
	err = call.phases.Measure(measure.Decrypt, func() error {
		return keyed.Decrypt(nonce, nil, buffers.Ciphertext, buffers.Plaintext)
	})
	if err != nil {
		return provider.Require(err, "decrypt")
	}
	return verifyAndPrint(call, buffers, processReport{Command: "process", Algorithm: implementation.Algorithm,
		Variant: implementation.Variant, InputBytes: file.bytes, Collections: collections(call.phases)})
}

// noop does the steps of process without the cipher: the cost of a process itself.
func noop(call invocation) error {
	file, err := openInput(call.given["--in"])
	if err != nil {
		return err
	}
	buffers, err := load(call.phases, file, file.bytes, 0)
	if err != nil {
		return err
	}
	for _, name := range []string{measure.KeySetup, measure.Encrypt, measure.Decrypt} {
		if err := call.phases.Measure(name, func() error { return nil }); err != nil {
			return err
		}
	}
	// After work end, so that verification has as much to compare and digest as in process.
	input := measure.ReadInputOutput(readings(call.phases)...)
	copy(buffers.Ciphertext, buffers.Input)
	copy(buffers.Plaintext, buffers.Input)
	return verifyAndPrint(call, buffers, processReport{Command: "noop", Algorithm: "noop", Variant: "none",
		InputBytes: file.bytes, IO: &input})
}

// load is the phase load: it allocates and touches the buffers and reads the file into the first one. The bytes of
// padding behind the file stay zero, as new pages are.
func load(phases measure.Phases, file *inputFile, padded, tagBytes int) (buffers *measure.Buffers, err error) {
	defer file.Close()
	err = phases.Measure(measure.Load, func() error {
		if buffers, err = measure.NewBuffers(padded, padded+tagBytes); err != nil {
			return err
		}
		return file.readInto(buffers.Input)
	})
	return buffers, err
}

func verifyAndPrint(call invocation, buffers *measure.Buffers, report processReport) error {
	if report.IO == nil {
		moved := measure.ReadInputOutput(readings(call.phases)...)
		report.IO = &moved
	}
	digest := sha256.Sum256(buffers.Ciphertext)
	report.PaddedBytes, report.OutputBytes = len(buffers.Input), len(buffers.Ciphertext)
	report.BuffersBytes = buffers.TotalBytes
	report.CiphertextSHA256 = hex.EncodeToString(digest[:])
	report.Verified = bytes.Equal(buffers.Input, buffers.Plaintext)
	if err := encode(call.out, report.complete(call.phases), ""); err != nil {
		return err
	}
	if !report.Verified {
		return failure.New(failure.NotVerified, "decryption did not return the input")
	}
	return nil
}
