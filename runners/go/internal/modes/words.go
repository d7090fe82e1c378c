package modes

// LoadWord reads the little-endian word that the bytes make.
func LoadWord(from []byte) uint64 {
	var word uint64
	for i, value := range from {
		word |= uint64(value) << (8 * uint(i))
	}
	return word
}

// StoreWord writes the low bytes of a word, little-endian.
func StoreWord(to []byte, word uint64) {
	for i := range to {
		to[i] = byte(word >> (8 * uint(i)))
	}
}
