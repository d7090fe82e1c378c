// A child that reports its own lifetime: `stamper MILLISECONDS` works until so much time has passed since its first
// statement and prints both ends on CLOCK_MONOTONIC. `stamper 0` is a program that does nothing.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int count, char** words) {
  const int64_t begin_ns = now_ns();
  if (count != 2) return 2;
  const int64_t duration_ns = atoll(words[1]) * 1000000;
  if (duration_ns == 0) return 0;
  int64_t end_ns = begin_ns;
  while (end_ns - begin_ns < duration_ns) end_ns = now_ns();
  printf("%lld %lld\n", (long long)begin_ns, (long long)end_ns);
  return 0;
}
