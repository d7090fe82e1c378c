package cli

import (
	"fmt"

	"ciphermark/runner/internal/failure"
	"ciphermark/runner/internal/knownanswers"
	"ciphermark/runner/internal/provider"
)

// kat prints the vectors as computed, or the published file of the algorithm where there is one, and nothing else.
func kat(call invocation) error {
	implementation, err := call.implementation()
	if err != nil {
		return err
	}
	file, err := knownanswers.Load(implementation.Algorithm)
	if err != nil {
		return err
	}
	if file.Genkat != nil {
		text, err := file.Genkat.Generate(implementation)
		if err != nil {
			return failure.New(failure.NotVerified, "%v", err)
		}
		_, _ = call.out.Write(text) // an error is reported when out is flushed
		if complaint := file.Genkat.Check(text); complaint != "" {
			return failure.New(failure.NotVerified, "%s", complaint)
		}
	}
	return checkAnswers(call, implementation, file)
}

func checkAnswers(call invocation, implementation *provider.Implementation, file *knownanswers.File) error {
	for i, answer := range file.Answers {
		computed, complaint := knownanswers.Check(implementation, answer)
		if file.Genkat == nil {
			fmt.Fprint(call.out, knownanswers.Record(i+1, answer, computed))
			if answer.Offset != 0 {
				fmt.Fprintf(call.out, "Offset = %d\n", answer.Offset)
			}
			if answer.Expectation != knownanswers.Valid {
				fmt.Fprintf(call.out, "Result = %s\n", answer.Expectation)
			}
			fmt.Fprintln(call.out)
		}
		if complaint != "" {
			return failure.New(failure.NotVerified, "vector %d (%s.vec line %d): %s", i+1, implementation.Algorithm,
				answer.Line, complaint)
		}
	}
	return nil
}
