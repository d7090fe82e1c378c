package provider

import (
	"strings"

	"ciphermark/runner/internal/failure"
)

// Select returns the implementation of these names, or the default one where variant is empty.
func Select(algorithm, variant string) (*Implementation, error) {
	var variants []string
	for _, candidate := range Implementations() {
		if candidate.Algorithm != algorithm {
			continue
		}
		if candidate.Variant == variant || variant == "" && candidate.Default {
			return candidate, nil
		}
		variants = append(variants, candidate.Variant)
	}
	if variants == nil {
		return nil, failure.New(failure.UnknownAlgorithm, "%s has no algorithm '%s'; 'list' prints its algorithms", Name,
			algorithm)
	}
	return nil, failure.New(failure.UnknownVariant, "%s has no variant '%s'; it has %s", algorithm, variant,
		strings.Join(variants, ", "))
}

// Other returns another variant of the algorithm, or nil.
func (i *Implementation) Other() *Implementation {
	for _, candidate := range Implementations() {
		if candidate.Algorithm == i.Algorithm && candidate.Variant != i.Variant {
			return candidate
		}
	}
	return nil
}
