// Ciphermark-go is the provider go: ciphers, and a loop that times them for ciphermark-driver.
package main

import (
	"os"

	"ciphermark/runner/internal/program"
)

func main() {
	program.Serve(os.Stdin, os.Stdout)
	os.Exit(70) // The driver has ended.
}
