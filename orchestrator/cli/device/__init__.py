"""Commands of `ciphermark daemon` that have more than one function."""
