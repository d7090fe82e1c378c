#include "evidence/stepping/lockstep.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "masked/randomness.h"

// The linker's name for the start of the program in memory.
// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
extern "C" const char __executable_start;

namespace ciphermark::evidence {
namespace {

// ---- Registers ----

#if defined(__x86_64__)
constexpr bool kSupported = true;
constexpr std::size_t kGeneralBytes = std::size_t{8} * 15;  // r15 to rdi
constexpr std::size_t kCounterOffset = std::size_t{8} * 16;
constexpr unsigned kVectorSet = NT_X86_XSTATE;
#elif defined(__aarch64__)
constexpr bool kSupported = true;
constexpr std::size_t kGeneralBytes = std::size_t{8} * 31;
constexpr std::size_t kCounterOffset = std::size_t{8} * 32;
constexpr unsigned kVectorSet = NT_PRFPREG;
#else
constexpr bool kSupported = false;
constexpr std::size_t kGeneralBytes = 8;
constexpr std::size_t kCounterOffset = 0;
constexpr unsigned kVectorSet = NT_PRFPREG;
#endif

constexpr std::size_t kMostGeneralBytes = 512;
constexpr std::size_t kMostVectorBytes = 16'384;

/// What is compared: 16 bits of a register.
using Unit = std::uint16_t;

struct Registers {
  std::uint64_t counter = 0;
  std::size_t units = 0;
  std::array<Unit, (kGeneralBytes + kMostVectorBytes) / sizeof(Unit)> values{};
};

constexpr std::size_t kCopiesOfKey = 2;
constexpr std::size_t kCopies = 2 * kCopiesOfKey;
/// A bit of one share is alike in the copies with a key, and unlike between keys, in one pass of 8: some bits
/// of thousands, in rows of 96 bits, are in each of 4 passes.
constexpr int kMostPasses = 12;

// ---- Copies of this process ----

/// Random bytes made in advance, so that few instructions deliver them.
class PreparedGenerator : public masked::Generator {
 public:
  explicit PreparedGenerator(std::uint64_t seed) : bytes_(kPreparedBytes) {
    std::mt19937_64 random(seed);
    for (std::uint8_t& byte : bytes_) byte = static_cast<std::uint8_t>(random());
  }
  bool begin_packet() override { return true; }
  bool fill(MutableBytes out) override {
    if (next_ + out.size() > bytes_.size()) next_ = 0;
    std::memcpy(out.data(), bytes_.data() + next_, out.size());
    next_ += out.size();
    return true;
  }
  [[nodiscard]] std::size_t batch_bytes() const override { return masked::kMostBatchBytes; }

 private:
  static constexpr std::size_t kPreparedBytes = std::size_t{1} << 20;
  std::vector<std::uint8_t> bytes_;
  std::size_t next_ = 0;
};

/// Where copies are done. The address is the same in all of them.
[[gnu::noinline]] void end_of_watch() { asm volatile("" ::: "memory"); }

/// A copy that waits before the call that is watched.
class Copy {
 public:
  Copy(const Watched& watched, std::span<const std::uint8_t> key, std::uint64_t seed) : process_(fork()) {
    if (process_ < 0) throw std::runtime_error("fork failed: " + std::string(std::strerror(errno)));
    if (process_ == 0) execute(watched, key, seed);
    int status = 0;
    stopped_ = waitpid(process_, &status, 0) == process_ && WIFSTOPPED(status);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  Copy(Copy&& other) noexcept
      : process_(std::exchange(other.process_, -1)), stopped_(std::exchange(other.stopped_, false)) {}
  Copy& operator=(Copy&&) = delete;
  ~Copy() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  /// False if ptrace is not permitted here.
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

  void step() const {
    if (ptrace(PTRACE_SINGLESTEP, process_, nullptr, nullptr) != 0) fail("single step");
  }
  void wait() const {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0) {
      if (errno != EINTR) fail("wait");
    }
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
      throw std::runtime_error("a watched copy ended with wait status " + std::to_string(status));
    }
  }

  /// False if the machine does not report its registers.
  [[nodiscard]] bool read(Registers& registers) const {
    std::array<std::uint8_t, kMostGeneralBytes> general;
    iovec where{general.data(), general.size()};
    if (ptrace(PTRACE_GETREGSET, process_, NT_PRSTATUS, &where) != 0) return false;
    std::memcpy(&registers.counter, general.data() + kCounterOffset, sizeof(registers.counter));
    std::memcpy(registers.values.data(), general.data(), kGeneralBytes);
    where = {registers.values.data() + kGeneralBytes / sizeof(Unit), kMostVectorBytes};
    if (ptrace(PTRACE_GETREGSET, process_, kVectorSet, &where) != 0) return false;
    registers.units = (kGeneralBytes + where.iov_len) / sizeof(Unit);
    return true;
  }

  /// The buffer of random words.
  [[nodiscard]] const std::uint8_t* next_random() const {
    masked::Rest rest{};
    iovec local{&rest, sizeof(rest)};
    iovec remote{&masked::rest, sizeof(rest)};
    if (process_vm_readv(process_, &local, 1, &remote, 1, 0) != sizeof(rest)) fail("read of memory");
    return rest.next;
  }

 private:
  [[noreturn]] static void execute(const Watched& watched, std::span<const std::uint8_t> key,
                                   std::uint64_t seed) {
    masked::use_generator(std::make_unique<PreparedGenerator>(seed));
    watched.set_key(key);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    static_cast<void>(raise(SIGSTOP));
    watched.execute();
    end_of_watch();
    _exit(0);
  }

  [[noreturn]] static void fail(const char* what) {
    throw std::runtime_error("ptrace: a " + std::string(what) + " failed: " + std::strerror(errno));
  }

  pid_t process_;
  bool stopped_ = false;
};

// ---- One pass ----

struct Recombination {
  std::uint64_t step;
  std::uint64_t counter;
  std::uint64_t draws;
  bool operator==(const Recombination& other) const noexcept { return step == other.step; }
};

struct Pass {
  std::string unavailable;
  std::uint64_t instructions = 0;
  std::uint64_t draws = 0;
  bool same_path = true;
  std::vector<Recombination> found;
};

class Lockstep {
 public:
  Lockstep(const Watched& watched, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::array<std::vector<std::uint8_t>, 2> keys;
    for (std::vector<std::uint8_t>& key : keys) {
      key.resize(watched.key_bytes);
      for (std::uint8_t& byte : key) byte = static_cast<std::uint8_t>(random());
    }
    note_outputs(watched, keys);
    // Nothing is allocated between the copies: their addresses must be the same.
    copies_.reserve(kCopies);
    for (const std::vector<std::uint8_t>& key : keys) {
      for (std::size_t i = 0; i < kCopiesOfKey; ++i) copies_.emplace_back(watched, key, random());
    }
  }

  Pass execute() {
    Pass pass;
    for (const Copy& copy : copies_) {
      if (!copy.stopped()) pass.unavailable = "this process may not trace its children with ptrace";
    }
    if (pass.unavailable.empty() && !read_all(now_)) {
      pass.unavailable = "the kernel does not report the registers of a traced process here";
    }
    if (!pass.unavailable.empty()) return pass;
    note_leftovers();
    const auto end = reinterpret_cast<std::uint64_t>(&end_of_watch);
    const std::uint8_t* next_random = copies_[0].next_random();
    while (now_[0].counter != end) {
      std::swap(before_, now_);
      for (const Copy& copy : copies_) copy.step();
      for (const Copy& copy : copies_) copy.wait();
      if (!read_all(now_)) throw std::runtime_error("ptrace: registers cannot be read any longer");
      if (!same_counters()) {
        pass.same_path = false;
        return pass;
      }
      const std::uint8_t* drawn = copies_[0].next_random();
      if (drawn != next_random) ++pass.draws;
      next_random = drawn;
      if (recombined()) pass.found.push_back({pass.instructions, before_[0].counter, pass.draws});
      ++pass.instructions;
    }
    return pass;
  }

 private:
  using All = std::array<Registers, kCopies>;

  bool read_all(All& all) const {
    for (std::size_t i = 0; i < kCopies; ++i) {
      if (!copies_[i].read(all[i])) return false;
    }
    return true;
  }

  [[nodiscard]] bool same_counters() const {
    return std::ranges::all_of(now_, [this](const Registers& r) { return r.counter == now_[0].counter; });
  }

  /// Whether it depends on the key alone.
  [[nodiscard]] bool depends_on_key_alone(std::size_t unit) const {
    const Unit first = now_[0].values[unit];
    const Unit second = now_[kCopiesOfKey].values[unit];
    if (first == second) return false;
    for (std::size_t i = 1; i < kCopiesOfKey; ++i) {
      if (now_[i].values[unit] != first || now_[kCopiesOfKey + i].values[unit] != second) return false;
    }
    return true;
  }

  /// Both outputs, unit by unit.
  void note_outputs(const Watched& watched, const std::array<std::vector<std::uint8_t>, 2>& keys) {
    masked::use_generator(std::make_unique<PreparedGenerator>(0));
    std::array<std::vector<Unit>, 2> outputs;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      watched.set_key(keys[i]);
      watched.execute();
      const std::span<const std::uint8_t> bytes = watched.output();
      outputs[i].resize(bytes.size() / sizeof(Unit));
      std::memcpy(outputs[i].data(), bytes.data(), outputs[i].size() * sizeof(Unit));
    }
    for (std::size_t unit = 0; unit < outputs[0].size(); ++unit) {
      public_.insert({outputs[0][unit], outputs[1][unit]});
    }
  }

  /// What key setup left in registers is the key, which functions save and restore.
  void note_leftovers() {
    for (std::size_t unit = 0; unit < now_[0].units; ++unit) {
      if (depends_on_key_alone(unit)) public_.insert(values_of(unit));
    }
  }

  [[nodiscard]] std::pair<Unit, Unit> values_of(std::size_t unit) const {
    return {now_[0].values[unit], now_[kCopiesOfKey].values[unit]};
  }

  /// Whether a unit changed to what depends on the key alone.
  [[nodiscard]] bool recombined() const {
    for (std::size_t unit = 0; unit < now_[0].units; ++unit) {
      if (!depends_on_key_alone(unit) || public_.contains(values_of(unit))) continue;
      for (std::size_t i = 0; i < kCopies; ++i) {
        if (before_[i].values[unit] != now_[i].values[unit]) return true;
      }
    }
    return false;
  }

  std::vector<Copy> copies_;
  /// Values of the two keys that are no recombination: outputs, and what key setup left.
  std::set<std::pair<Unit, Unit>> public_;
  All now_;
  All before_;
};

}  // namespace

ObjectCodeVerdict watch_object_code(const Watched& watched,
                                    const std::function<bool(const ObjectCodeVerdict&)>& accepted,
                                    std::uint64_t seed) {
  ObjectCodeVerdict verdict;
  if (!kSupported) {
    verdict.unavailable = "registers of this architecture are not known";
    return verdict;
  }
  std::vector<Recombination> found;
  for (int i = 0; i < kMostPasses; ++i) {
    Pass pass = std::make_unique<Lockstep>(watched, seed + static_cast<std::uint64_t>(i))->execute();
    verdict.unavailable = pass.unavailable;
    verdict.same_path = pass.same_path;
    verdict.instructions = pass.instructions;
    verdict.draws = pass.draws;
    if (!verdict.unavailable.empty() || !verdict.same_path) return verdict;
    if (i == 0) {
      found = std::move(pass.found);
    } else {
      std::erase_if(found,
                    [&pass](const Recombination& one) { return !std::ranges::count(pass.found, one); });
    }
    verdict.recombinations = found.size();
    verdict.draws_before = found.empty() ? verdict.draws : found.front().draws;
    verdict.offset =
        found.empty() ? 0 : found.front().counter - reinterpret_cast<std::uint64_t>(&__executable_start);
    if (accepted(verdict)) break;
  }
  return verdict;
}

}  // namespace ciphermark::evidence
