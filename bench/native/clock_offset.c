/* Preloaded into a daemon by the soak test: shifts its wall clock by the seconds (a double) in the file CLOCK_OFFSET_FILE.
   Monotonic clocks stay, as when an administrator or NTP steps the time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile double *offset;

__attribute__((constructor)) static void map_file(void) {
  const char *path = getenv("CLOCK_OFFSET_FILE");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(double), PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) offset = mapped;
  close(file);
}

static void shift(struct timespec *at) {
  double seconds = offset ? *offset : 0.0;
  double whole = floor(seconds);
  at->tv_sec += (time_t)whole;
  at->tv_nsec += (long)((seconds - whole) * 1e9);
  if (at->tv_nsec >= 1000000000L) at->tv_nsec -= 1000000000L, at->tv_sec += 1;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  static int (*genuine)(clockid_t, struct timespec *);
  if (!genuine) genuine = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = genuine(clock, at);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) shift(at);
  return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
