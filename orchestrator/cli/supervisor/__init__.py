"""The supervisor of `ciphermark up`: a private Redis and all programs of the project as its child processes."""
