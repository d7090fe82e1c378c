"""System settings that `ciphermark daemon tune` changes and `untune` restores."""
