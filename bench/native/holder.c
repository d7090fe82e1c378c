// A child of known size: `holder SIZE_KIB HOLD_MS` makes itself so large, holds it, and prints its own VmHWM in bytes
// right before it ends. Static, so that nothing but the program itself is resident; it is no smaller than that.
// `holder SIZE_KIB HOLD_MS keep|free` allocates a block of that size instead, and with `free` releases it after it has
// read its VmHWM. On Linux 6.16 and newer that is exact, because the kernel sums its counters for each reading.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

// A field of /proc/self/status in KiB.
static long status_kib(const char* name) {
  static char text[8192];
  const int file = open("/proc/self/status", O_RDONLY);
  const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (length <= 0) exit(3);
  close(file);
  text[length] = '\0';
  const char* field = strstr(text, name);
  if (field == NULL) exit(3);
  return strtol(field + strlen(name), NULL, 10);
}

int main(int count, char** words) {
  if (count != 3 && count != 4) return 2;
  const long size_kib = atol(words[1]);
  const long hold_ms = atol(words[2]);
  const int frees = count == 4 && strcmp(words[3], "free") == 0;
  const long missing_kib = count == 4 ? size_kib : size_kib - status_kib("VmRSS:");
  const size_t bytes = missing_kib > 0 ? (size_t)missing_kib * 1024 : 0;
  char* memory = NULL;
  if (bytes > 0) {
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 4;
    madvise(memory, bytes, MADV_NOHUGEPAGE);  // A page at a time: a huge page would exceed the requested size.
    for (size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
  }
  const struct timespec hold = {hold_ms / 1000, hold_ms % 1000 * 1000000};
  if (hold_ms > 0) nanosleep(&hold, NULL);
  const long peak_kib = status_kib("VmHWM:");
  if (frees && memory != NULL) munmap(memory, bytes);
  printf("%ld\n", peak_kib * 1024);
  return 0;
}
