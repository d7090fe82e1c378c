// The bare launch that ours is compared with: `spawn_loop CORE PROGRAM [ARGUMENT...]`, only posix_spawn and wait4. Each
// line on standard input is a number of launches; after these it prints two numbers: the median nanoseconds from before the spawn to after the wait, and the mean from one launch to the next. CORE: where it
// and its children execute, as with our launcher; -1: anywhere.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { kMostLaunches = 10000 };

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t launch_ns(char** words, const posix_spawn_file_actions_t* actions) {
  char* environment[] = {NULL};
  struct rusage usage;
  int status = 0;
  pid_t pid = 0;
  const int64_t begin_ns = now_ns();
  if (posix_spawn(&pid, words[0], actions, NULL, words, environment) != 0) exit(3);
  if (wait4(pid, &status, 0, &usage) != pid) exit(4);
  const int64_t end_ns = now_ns();
  if (status != 0) exit(5);
  return end_ns - begin_ns;
}

static int ascending(const void* left, const void* right) {
  const int64_t one = *(const int64_t*)left, other = *(const int64_t*)right;
  return (one > other) - (one < other);
}

static void pin(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  if (sched_setaffinity(0, sizeof cores, &cores) != 0) exit(6);
}

int main(int count, char** words) {
  static int64_t walls_ns[kMostLaunches];
  if (count < 3) return 2;
  if (atoi(words[1]) >= 0) pin(atoi(words[1]));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  int launches = 0;
  while (scanf("%d", &launches) == 1 && launches > 0 && launches <= kMostLaunches) {
    const int64_t begin_ns = now_ns();
    for (int i = 0; i < launches; ++i) walls_ns[i] = launch_ns(words + 2, &actions);
    const int64_t period_ns = (now_ns() - begin_ns) / launches;
    qsort(walls_ns, launches, sizeof walls_ns[0], ascending);
    printf("%lld %lld\n", (long long)walls_ns[launches / 2], (long long)period_ns);
    fflush(stdout);
  }
  return 0;
}
