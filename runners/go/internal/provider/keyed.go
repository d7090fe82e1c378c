package provider

// A Message cipher encrypts without a tag; in and out have the same length and are the same memory or do not overlap.
type Message interface {
	SetKey(key []byte)
	Encrypt(nonce, in, out []byte)
	Decrypt(nonce, in, out []byte)
}

// An Authenticated cipher writes a tag, and returns whether a tag is right; if not, its caller overwrites out.
type Authenticated interface {
	SetKey(key []byte)
	Seal(nonce, data, in, out, tag []byte)
	Open(nonce, data, in, out, tag []byte) bool
}

// ciphers makes the cipher of an implementation: one of the two.
type ciphers struct {
	newMessage       func() Message
	newAuthenticated func() Authenticated
}

// Keyed is an implementation with a key; it checks every length.
type Keyed struct {
	*Implementation
	message       Message
	authenticated Authenticated
}

// New returns a cipher without a key.
func (i *Implementation) New() *Keyed {
	if i.newMessage != nil {
		return &Keyed{Implementation: i, message: i.newMessage()}
	}
	return &Keyed{Implementation: i, authenticated: i.newAuthenticated()}
}

// SetKey returns nil or ErrBadLength.
func (k *Keyed) SetKey(key []byte) error {
	if len(key) != k.KeyBytes {
		return ErrBadLength
	}
	if k.message != nil {
		k.message.SetKey(key)
	} else {
		k.authenticated.SetKey(key)
	}
	return nil
}

// fits returns whether the lengths are those of a message without its tag, and of the tag.
func (k *Keyed) fits(nonce, data []byte, message, sealed int) bool {
	return len(nonce) == k.NonceBytes && (len(data) == 0 || k.Kind == AEAD) && sealed-k.TagBytes == message &&
		message >= 0 && uint64(message) <= k.MaxMessageBytes && (!k.WholeBlocksOnly || message%k.BlockBytes == 0)
}

// Encrypt writes ciphertext and tag to out. It returns nil or ErrBadLength.
func (k *Keyed) Encrypt(nonce, data, in, out []byte) error {
	if !k.fits(nonce, data, len(in), len(out)) {
		return ErrBadLength
	}
	if k.message != nil {
		k.message.Encrypt(nonce, in, out)
	} else {
		k.authenticated.Seal(nonce, data, in, out[:len(in)], out[len(in):])
	}
	return nil
}

// Decrypt takes ciphertext and tag. It returns nil, ErrBadLength or ErrAuthenticationFailed, with zeros in out.
func (k *Keyed) Decrypt(nonce, data, in, out []byte) error {
	if !k.fits(nonce, data, len(out), len(in)) {
		return ErrBadLength
	}
	if k.message != nil {
		k.message.Decrypt(nonce, in, out)
		return nil
	}
	if k.authenticated.Open(nonce, data, in[:len(out)], out, in[len(out):]) {
		return nil
	}
	for i := range out {
		out[i] = 0
	}
	return ErrAuthenticationFailed
}
