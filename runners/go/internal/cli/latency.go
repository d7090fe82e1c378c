package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"

	"ciphermark/runner/internal/failure"
	"ciphermark/runner/internal/knownanswers"
	"ciphermark/runner/internal/measure"
	"ciphermark/runner/internal/provider"
)

// ciphertextCommand writes the ciphertext of a latency case to standard output.
const ciphertextCommand = "latency-ciphertext"

// stepsOfATiming: a timing lasts at least so many clock steps, so that a step is a thousandth of it.
const stepsOfATiming = 1000

// timedWork is the work of one case: its calls, and where they read and write.
type timedWork struct {
	*latencyCase
	buffers *measure.Buffers
	keyed   *provider.Keyed
	err     error // of the last call that failed
}

func newTimedWork(call invocation) (*timedWork, error) {
	timed, err := newLatencyCase(call)
	if err != nil {
		return nil, err
	}
	buffers, err := measure.NewBuffers(timed.messageBytes, timed.messageBytes+timed.implementation.TagBytes)
	if err != nil {
		return nil, err
	}
	fillBytes(timed.fill, buffers.Input)
	return &timedWork{timed, buffers, timed.implementation.New(), nil}, nil
}

func (w *timedWork) setKey() { w.note(w.keyed.SetKey(w.key)) }

func (w *timedWork) encrypt() {
	w.note(w.keyed.Encrypt(w.nonce, w.data, w.buffers.Input, w.buffers.Ciphertext))
}

func (w *timedWork) decrypt() {
	w.note(w.keyed.Decrypt(w.nonce, w.data, w.buffers.Ciphertext, w.buffers.Plaintext))
}

func (w *timedWork) note(err error) {
	if err != nil {
		w.err = err
	}
}

// call returns the timed call.
func (w *timedWork) call() func() {
	message := w.encrypt
	switch {
	case w.operation == "key-setup":
		return w.setKey
	case w.operation == "decrypt":
		message = w.decrypt
	}
	if w.keySetup == "apart" {
		return message
	}
	return func() {
		w.setKey()
		message()
	}
}

func (w *timedWork) output() []byte {
	if w.operation == "decrypt" {
		return w.buffers.Plaintext
	}
	return w.buffers.Ciphertext
}

// writeCiphertext is the command of the child process.
func writeCiphertext(call invocation) error {
	work, err := newTimedWork(call)
	if err != nil {
		return err
	}
	work.setKey()
	work.encrypt()
	if work.err != nil {
		return provider.Require(work.err, "encrypt")
	}
	_, err = call.out.Write(work.buffers.Ciphertext)
	return err
}

// prepareCiphertext lets a child process encrypt, so that the first call in this process is the first one.
func (w *timedWork) prepareCiphertext(words []string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	ciphertext, err := exec.Command(program, append([]string{ciphertextCommand}, words...)...).Output()
	if err != nil || len(ciphertext) != len(w.buffers.Ciphertext) {
		return failure.New(failure.Internal, "the process that prepares the ciphertext wrote %d bytes, expected %d (%v)",
			len(ciphertext), len(w.buffers.Ciphertext), err)
	}
	copy(w.buffers.Ciphertext, ciphertext)
	return nil
}

// latency times calls inside one process.
func latency(call invocation) error {
	work, err := newTimedWork(call)
	if err != nil {
		return err
	}
	if work.operation == "decrypt" {
		if err := work.prepareCiphertext(call.words); err != nil {
			return err
		}
	}
	report := latencyReport{Clock: measure.ObserveClock(), BaselineRSSBytes: call.phases[measure.Start].After.RSSBytes}
	report.MinTimingNs = work.minTimeNs
	if least := stepsOfATiming * report.Clock.ResolutionNs; least > report.MinTimingNs {
		report.MinTimingNs = least
	}
	if err := work.measure(&report); err != nil {
		return err
	}
	report.PeakRSSBytes = measure.ReadResources().PeakRSSBytes
	if work.operation == "key-setup" {
		work.encrypt()
	}
	if work.err != nil {
		return provider.Require(work.err, "encrypt")
	}
	complaint, err := work.check(&report)
	if err != nil {
		return err
	}
	if err := encode(call.out, report.complete(work, complaint == ""), ""); err != nil {
		return err
	}
	if complaint != "" {
		return failure.New(failure.NotVerified, "%s", complaint)
	}
	return nil
}

// check verifies what the last timing wrote. It returns a complaint, which is empty if all is right.
func (w *timedWork) check(report *latencyReport) (string, error) {
	file, err := knownanswers.Load(w.implementation.Algorithm)
	if err != nil {
		return "", err
	}
	report.VerifiedBy = []string{"known answers"}
	for _, answer := range file.Answers {
		if _, complaint := knownanswers.Check(w.implementation, answer); complaint != "" {
			return fmt.Sprintf("%s.vec line %d: %s", w.implementation.Algorithm, answer.Line, complaint), nil
		}
	}
	returned, by := w.buffers.Plaintext, "the message that was encrypted"
	if w.operation != "decrypt" {
		keyed := w.implementation.New()
		if err := keyed.SetKey(w.key); err != nil {
			return "", provider.Require(err, "key setup")
		}
		// A tag that is wrong leaves zeros, which are no plaintext either.
		_ = keyed.Decrypt(w.nonce, w.data, w.buffers.Ciphertext, returned)
		by = "decryption"
	}
	report.VerifiedBy = append(report.VerifiedBy, by)
	if !bytes.Equal(returned, w.buffers.Input) {
		return "the output of the timed calls does not match the message", nil
	}
	other := w.implementation.Other()
	if other == nil {
		return "", nil
	}
	report.VerifiedBy = append(report.VerifiedBy, "variant "+other.Variant)
	keyed, sealed := other.New(), make([]byte, len(w.buffers.Ciphertext))
	if err := keyed.SetKey(w.key); err != nil {
		return "", provider.Require(err, "key setup")
	}
	if err := keyed.Encrypt(w.nonce, w.data, w.buffers.Input, sealed); err != nil {
		return "", provider.Require(err, "encrypt")
	}
	if !bytes.Equal(sealed, w.buffers.Ciphertext) {
		return "variant " + other.Variant + " makes another ciphertext", nil
	}
	return "", nil
}
