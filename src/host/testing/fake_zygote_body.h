#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <new>
#include <string>

#include "base/check.h"
#include "host/check/zygote.h"
#include "host/testing/batch_lines.h"

namespace host {

// For tests: a T that the test and every process that it forks share.
template <typename T>
class Shared {
 public:
  Shared() {
    void* memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    value_ = new (memory) T{};
  }
  ~Shared() { munmap(value_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  T& operator*() const { return *value_; }
  T* operator->() const { return value_; }

 private:
  T* value_;
};

// For tests: workers without a driver. Each seed is one call of `seed`, in a process of its own kind, and is counted in
// memory that the test sees.
class FakeZygoteBody final : public ZygoteBody {
 public:
  static constexpr size_t kSeeds = 256;

  // What a seed does. It returns whether it failed, or ends the process in a way of its own.
  std::function<bool(uint64_t seed, int out)> seed = [](uint64_t, int) { return false; };
  std::function<bool(std::string* error)> loading = [](std::string*) { return true; };

  bool load(std::string* error) override { return loading(error); }
  [[noreturn]] void run(const BatchCommand& command, int out, WorkerStatus& status) override {
    ++counts_->workers;
    for (uint64_t number = command.first; number < command.first + command.count; ++number) {
      status.seed = number;
      ++counts_->runs[number % kSeeds];
      say(out, seed_line(number, seed(number, out)));
      __atomic_add_fetch(&status.heartbeat, 1, __ATOMIC_RELAXED);
    }
    say(out, end_line());
    _exit(kWorkerDone);
  }

  int runs_of(uint64_t number) const { return counts_->runs[number % kSeeds]; }
  int workers() const { return counts_->workers; }

  static void say(int out, const std::string& line) {
    std::string whole = line + "\n";
    if (write(out, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) _exit(1);
  }

 private:
  struct Counts {
    std::atomic<int> workers;
    std::atomic<int> runs[kSeeds];
  };
  Shared<Counts> counts_;
};

}  // namespace host
