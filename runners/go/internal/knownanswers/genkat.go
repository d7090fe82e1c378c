package knownanswers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"ciphermark/runner/internal/provider"
)

const longestGenkatBytes = 32

// Record returns a vector in the style of the NIST generator.
func Record(count int, answer *Answer, computed []byte) string {
	return fmt.Sprintf("Count = %d\nKey = %X\nNonce = %X\nPT = %X\nAD = %X\nCT = %X\n", count, answer.Key, answer.Nonce,
		answer.Plaintext, answer.Data, computed)
}

// Generate returns the text of the published file as the implementation computes it. An error means that a vector's
// decryption did not return its plaintext.
func (g *Genkat) Generate(implementation *provider.Implementation) ([]byte, error) {
	nonce, plaintext, data := byte(0), byte(0), byte(0)
	if g.Rule == "sp800-232" {
		nonce, plaintext, data = 0x10, 0x20, 0x30
	}
	var text bytes.Buffer
	answer := &Answer{Key: counting(implementation.KeyBytes, 0), Nonce: counting(implementation.NonceBytes, nonce)}
	keyed := implementation.New()
	if err := keyed.SetKey(answer.Key); err != nil {
		return nil, err
	}
	for plaintextBytes := 0; plaintextBytes <= longestGenkatBytes; plaintextBytes++ {
		for dataBytes := 0; dataBytes <= longestGenkatBytes; dataBytes++ {
			answer.Plaintext, answer.Data = counting(plaintextBytes, plaintext), counting(dataBytes, data)
			sealed, opened := make([]byte, plaintextBytes+implementation.TagBytes), make([]byte, plaintextBytes)
			if keyed.Encrypt(answer.Nonce, answer.Data, answer.Plaintext, sealed) != nil ||
				keyed.Decrypt(answer.Nonce, answer.Data, sealed, opened) != nil || !bytes.Equal(opened, answer.Plaintext) {
				return nil, fmt.Errorf("a generated vector of %d bytes of plaintext and %d of associated data: "+
					"decryption did not return the plaintext", plaintextBytes, dataBytes)
			}
			count := plaintextBytes*(longestGenkatBytes+1) + dataBytes + 1
			text.WriteString(Record(count, answer, sealed) + "\n")
		}
	}
	return text.Bytes(), nil
}

// Check returns a complaint if the text is not the published one, otherwise an empty text.
func (g *Genkat) Check(text []byte) string {
	digest := sha256.Sum256(text)
	seen := hex.EncodeToString(digest[:])
	if seen == g.SHA256 {
		return ""
	}
	return fmt.Sprintf("the generated vectors have SHA-256 %s, the published file has %s", seen, g.SHA256)
}

// counting returns bytes that count up from the first one.
func counting(count int, first byte) []byte {
	made := make([]byte, count)
	for i := range made {
		made[i] = first + byte(i)
	}
	return made
}
