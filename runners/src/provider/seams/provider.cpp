#include "provider/linked_provider.h"

// A separate source, so that a test build can replace it with one of tests/planted.
const ciphermark::Provider& ciphermark::provider() { return linked_provider(); }
