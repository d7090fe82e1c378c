"""Everything on one machine: a private Redis and the other programs as children of `ciphermark up`."""
