"""Commands of `ciphermark`: one module per command, discovered in this package and imported when it is used."""
