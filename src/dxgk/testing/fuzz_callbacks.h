#pragma once

#include <functional>
#include <vector>

#include "base/testing/fuzz_input.h"
#include "dxgk/testing/fake_miniport.h"

namespace dxgk::testing {

// A driver that calls DxgkCb functions with whatever arguments: from within its own functions, and when it is told to.
// Before the driver is registered; what it is given outlives the run.
class FuzzCallbacks {
 public:
  // `handles`: what clients have, of whatever kind.
  FuzzCallbacks(FakeMiniport& driver, base::testing::FuzzInput& input,
                std::function<const std::vector<D3DKMT_HANDLE>&(uint32_t)> handles);
  ~FuzzCallbacks();
  FuzzCallbacks(const FuzzCallbacks&) = delete;
  FuzzCallbacks& operator=(const FuzzCallbacks&) = delete;

  // One function, at the IRQL of the caller.
  void call();

 private:
  static FuzzCallbacks* current;
  friend struct NamedByKernel;

  HANDLE device();
  D3DKMT_HANDLE handle();
  template <typename T>
  T one_of(const std::vector<T>& some);
  uint64_t number(std::initializer_list<uint64_t> good);

  void notify_interrupt();
  void map_memory();
  void device_space(bool write);
  void create_context_allocation();
  void map_context_allocation();
  void acquire();

  FakeMiniport& driver_;
  base::testing::FuzzInput& input_;
  std::function<const std::vector<D3DKMT_HANDLE>&(uint32_t)> handles_;
  std::vector<HANDLE> devices_, contexts_;  // by the kernel's names
  std::vector<HANDLE> allocations_;         // of contexts
  std::vector<HANDLE> acquired_;
  std::vector<PVOID> mapped_;
  uintptr_t next_own_ = 0x7000;
  int depth_ = 0;
};

}  // namespace dxgk::testing
