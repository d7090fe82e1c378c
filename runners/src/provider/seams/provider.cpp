#include "provider/linked_provider.h"

// A source of its own, so that a test build can replace it by one of tests/planted.
const ciphermark::Provider& ciphermark::provider() { return linked_provider(); }
