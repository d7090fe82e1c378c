package ciphermark.provider;

/** What a keyed cipher refuses; it releases nothing then. */
public enum Refusal {
    NONE,
    BAD_LENGTH,
    AUTHENTICATION_FAILED
}
