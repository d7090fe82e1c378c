package cli

import (
	"os"

	"ciphermark/runner/internal/failure"
	"ciphermark/runner/internal/provider"
)

// crypt processes one message from a file to a file. Lengths that the mode does not take are rejected, never padded.
func crypt(call invocation) error {
	implementation, err := call.implementation()
	if err != nil {
		return err
	}
	key, err := call.given.fixedHex("--key", implementation.KeyBytes)
	if err != nil {
		return err
	}
	nonce, err := call.given.fixedHex("--nonce", implementation.NonceBytes)
	if err != nil {
		return err
	}
	data, err := call.given.hexOption("--ad")
	if err != nil {
		return err
	}
	if len(data) > 0 && implementation.Kind != provider.AEAD {
		return failure.New(failure.BadInput, "--ad was given, but %s is no AEAD", implementation.Algorithm)
	}
	decrypts := call.given["--operation"] == "decrypt"
	in, err := readMessage(implementation, call.given["--in"], decrypts)
	if err != nil {
		return err
	}
	keyed := implementation.New()
	if err := keyed.SetKey(key); err != nil {
		return provider.Require(err, "key setup")
	}
	var out []byte
	if decrypts {
		out = make([]byte, len(in)-implementation.TagBytes)
		err = provider.Require(keyed.Decrypt(nonce, data, in, out), "decrypt")
	} else {
		out = make([]byte, len(in)+implementation.TagBytes)
		err = provider.Require(keyed.Encrypt(nonce, data, in, out), "encrypt")
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(call.given["--out"], out, 0o666); err != nil {
		return badFile(call.given["--out"], err)
	}
	return nil
}

// readMessage rejects a length that the algorithm does not take before memory is allocated for it.
func readMessage(implementation *provider.Implementation, path string, decrypts bool) ([]byte, error) {
	file, err := openInput(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	tagBytes := 0
	if decrypts {
		tagBytes = implementation.TagBytes
	}
	if file.bytes < tagBytes {
		return nil, failure.New(failure.BadInput, "the message has %d bytes, expected at least %d, which is the tag",
			file.bytes, tagBytes)
	}
	if err := implementation.RequireMessageLength(uint64(file.bytes - tagBytes)); err != nil {
		return nil, err
	}
	message := make([]byte, file.bytes)
	return message, file.readInto(message)
}
