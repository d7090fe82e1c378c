// Package program serves the protocol of a language (runners/README.md).
package program

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"ciphermark/runner/internal/provider"
)

// badInput is a file that cannot be read, or memory that is lacking.
type badInput struct{ error }

type server struct {
	in     *bufio.Reader
	unread int // bytes behind the request that have not been read
	out    *bufio.Writer
	work   *work // of the last prepare
}

// Serve answers requests until the input ends or the output is closed.
func Serve(in io.Reader, out io.Writer) {
	s := &server{in: bufio.NewReader(in), out: bufio.NewWriter(out)}
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return
		}
		failed := s.execute(strings.TrimSuffix(line, "\n"))
		// An error must not leave bytes to be read as the next request.
		if _, err := s.in.Discard(s.unread); err != nil {
			return
		}
		s.unread = 0
		if failed != nil {
			fmt.Fprintf(s.out, "error %s %s\n", name(failed), strings.ReplaceAll(failed.Error(), "\n", " "))
		}
		if s.out.Flush() != nil {
			return
		}
	}
}

func name(err error) string {
	switch {
	case errors.Is(err, provider.ErrBadLength):
		return "bad-length"
	case errors.Is(err, provider.ErrAuthenticationFailed):
		return "authentication-failed"
	case errors.As(err, new(badInput)):
		return "bad-input"
	default:
		return "internal"
	}
}

// execute answers one request. Errors of writing are those of the flush.
func (s *server) execute(line string) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("%v", broken)
		}
	}()
	request, fields, _ := strings.Cut(line, " ")
	switch request {
	case "list":
		s.list()
	case "prepare":
		return s.prepare(fields)
	case "time":
		return s.time(fields)
	case "output":
		buffer, found := s.work.buffers[fields]
		if !found {
			return fmt.Errorf("'%s' is no buffer", fields)
		}
		fmt.Fprintln(s.out, "ok", len(buffer))
		s.out.Write(buffer)
	case "exit":
		code, err := strconv.Atoi(fields)
		if err != nil {
			return err
		}
		os.Exit(code)
	default:
		return fmt.Errorf("'%s' is no request", request)
	}
	return nil
}

func (s *server) prepare(fields string) error {
	var algorithm, variant, keyHex, nonceHex, buffer string
	var dataBytes, bytes int
	_, err := fmt.Sscan(fields, &algorithm, &variant, &keyHex, &nonceHex, &dataBytes, &buffer, &bytes)
	if err != nil {
		return err
	}
	source := strings.SplitN(fields, " ", 8)[7]
	s.unread = dataBytes
	if source == "-" {
		s.unread += bytes
	}
	key, err := hex.DecodeString(strings.TrimPrefix(keyHex, "-"))
	if err != nil {
		return err
	}
	nonce, err := hex.DecodeString(strings.TrimPrefix(nonceHex, "-"))
	if err != nil {
		return err
	}
	implementation, err := find(algorithm, variant)
	if err != nil {
		return err
	}
	data := make([]byte, dataBytes)
	if _, err := s.receive(data); err != nil {
		return err
	}
	s.work.free()
	begin := time.Now()
	if s.work, err = newWork(implementation, key, nonce, data, buffer, bytes); err != nil {
		return err
	}
	var readBytes int
	if source == "-" {
		readBytes, err = s.receive(s.work.buffers[buffer])
	} else {
		readBytes, err = readFile(source, s.work.buffers[buffer])
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, "ok", readBytes, time.Since(begin).Nanoseconds())
	return nil
}

// find returns nil for "-", which is no cipher.
func find(algorithm, variant string) (*provider.Implementation, error) {
	if algorithm == "-" {
		return nil, nil
	}
	for _, one := range provider.Implementations() {
		if one.Algorithm == algorithm && one.Variant == variant {
			return one, nil
		}
	}
	return nil, fmt.Errorf("%s has no variant '%s' of '%s'", provider.Name, variant, algorithm)
}

// receive fills the memory with bytes behind the request.
func (s *server) receive(memory []byte) (int, error) {
	count, err := io.ReadFull(s.in, memory)
	s.unread -= count
	return count, err
}

// readFile reads until the file or the memory ends.
func readFile(path string, memory []byte) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, badInput{err}
	}
	defer file.Close()
	count, err := io.ReadFull(file, memory)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, badInput{err}
	}
	return count, nil
}

func (s *server) time(fields string) error {
	var operations string
	var iterations uint64
	var timings int
	if _, err := fmt.Sscan(fields, &operations, &iterations, &timings); err != nil {
		return err
	}
	readings, err := s.work.time(strings.Split(operations, "+"), iterations, timings)
	if err != nil {
		return err
	}
	fmt.Fprint(s.out, "ok")
	for _, one := range readings {
		fmt.Fprintf(s.out, " %d %d %d", one.wallNs, one.cpuNs, one.collections)
	}
	fmt.Fprintln(s.out)
	return nil
}
