module ciphermark/runner

go 1.19
