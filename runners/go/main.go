// Ciphermark-go executes the ciphers of this folder by the runner contract, protocol version 1.
package main

import (
	"os"

	"ciphermark/runner/internal/cli"
	"ciphermark/runner/internal/measure"
)

func main() {
	// First of all: here the phase "start" ends.
	phases := measure.Begin()
	os.Exit(cli.Run(os.Args[1:], phases))
}
