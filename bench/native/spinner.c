// A child whose work is the same each time and needs nothing but the core: `spinner ROUNDS`.
#include <stdint.h>
#include <stdlib.h>

int main(int count, char** words) {
  if (count != 2) return 2;
  const uint64_t rounds = strtoull(words[1], NULL, 10);
  uint64_t value = 1;
  for (uint64_t round = 0; round < rounds; ++round) {
    value = value * 6364136223846793005U + 1442695040888963407U;  // Knuth's; each step waits for the one before.
    __asm__ volatile("" : "+r"(value));
  }
  return value == 0 ? 1 : 0;
}
