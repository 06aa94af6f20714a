#pragma once

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "base/align.h"
#include "base/check.h"
#include "base/testing/fuzz_input.h"
#include "kmt/allocation/nt_client_handles.h"
#include "kmt/client/thunks.h"
#include "kmt/memory/direct_memory.h"

namespace kmt::testing {

// The memory of a fuzzer's client: an arena for arguments, pages behind it that cannot be written or touched, and what
// the kernel gave to the client. Other addresses of this program are not the client's, however it came to name them.
class FuzzMemory final : public UserMemory {
 public:
  using UserMemory::probe_write;
  using UserMemory::read;
  using UserMemory::write;

  static constexpr size_t kArena = 64 * base::kPageBytes;

  FuzzMemory();
  ~FuzzMemory() override { munmap(base_, kArena + 2 * base::kPageBytes); }
  FuzzMemory(const FuzzMemory&) = delete;
  FuzzMemory& operator=(const FuzzMemory&) = delete;

  base::Result<> read(void* to, uint64_t from, size_t bytes) override;
  base::Result<> write(uint64_t to, const void* from, size_t bytes) override;
  base::Result<> probe_write(uint64_t to, size_t bytes) override;

  // Zeroed room for one call's arguments; null when the arena is full.
  void* make(size_t bytes);
  void clear() { used_ = 0; }
  // Two whole pages that keep what they hold from one call to the next.
  void* pages() const { return base_ + kArena / 2; }
  // The last `bytes` before a page that can be read and not written (0), or not touched at all (1).
  uint8_t* before_edge(bool untouchable, size_t bytes) const {
    return base_ + kArena + (untouchable ? base::kPageBytes : 0) - bytes;
  }
  void note_given(const void* at, size_t bytes);

 private:
  struct Range {
    uint64_t base;
    uint64_t bytes;
  };
  base::Result<> check(uint64_t at, size_t bytes) const;

  uint8_t* base_;
  size_t used_ = 0;
  std::vector<Range> given_;
  DirectMemory direct_;
};

// What a handle of a client stands for.
enum class Of : uint8_t {
  Adapter,
  Device,
  Resource,
  Allocation,
  Shared,  // global handles of resources, mutexes and sync objects
  Mutex,
  Sync,
  Context,
  PagingQueue,
};
inline constexpr uint32_t kOfCount = 9;

// Handles that a client has, had and never had: what was destroyed stays in it. NT handles likewise.
struct FuzzHandles {
  std::array<std::vector<D3DKMT_HANDLE>, kOfCount> of;
  std::vector<HANDLE> nt;
  std::vector<HANDLE> events;
};

// One call's argument, made of the fuzzer's choices: mostly one that could be accepted, sometimes not. Lives as long as
// the call.
class FuzzArguments {
 public:
  FuzzArguments(base::testing::FuzzInput& input, FuzzMemory& memory, FuzzHandles& handles, const FuzzHandles& foreign,
                Thunk thunk)
      : input(input), thunk(thunk), memory_(memory), handles_(handles), foreign_(foreign) {}

  D3DKMT_HANDLE handle(Of of);
  D3DKMT_HANDLE optional_handle(Of of) { return input.rarely(4) ? handle(of) : 0; }
  HANDLE nt_handle();
  HANDLE event();
  // If the call succeeds, the handle that is there belongs to the client.
  void out(const D3DKMT_HANDLE& field, Of of) { outs_.push_back({&field, of}); }
  void out_nt(HANDLE const& field) { nt_outs_.push_back(&field); }
  void keep_outs();

  // One of these, or rarely any number.
  uint64_t number(std::initializer_list<uint64_t> good);
  // The same for an enumeration, which may get a number that is none of its values.
  template <typename Enum>
  void put(Enum& field, std::initializer_list<uint64_t> good) {
    auto value = static_cast<uint32_t>(number(good));
    static_assert(sizeof(field) == sizeof(value));
    std::memcpy(&field, &value, sizeof(value));
  }
  // None, one of the low `bits`, or rarely any of all.
  uint32_t flags(uint32_t bits);
  uint64_t gpu_address();
  uint32_t few() { return 1 + input.below(4); }

  // An array in the client's memory, or rarely a pointer that is none.
  template <typename T>
  T* array(uint32_t count) {
    if (input.rarely(24)) return static_cast<T*>(bad_pointer(count * sizeof(T)));
    return static_cast<T*>(memory_.make(count * sizeof(T)));
  }
  D3DKMT_HANDLE* handle_list(uint32_t count, Of of);
  UINT64* values(uint32_t count);
  // Bytes that only a driver or a runtime understands, and how many.
  template <typename Pointer, typename Size>
  void bytes(Pointer& at, Size& size) {
    size = static_cast<Size>(8 * input.below(4));
    if (!size) return;
    at = array<uint8_t>(static_cast<uint32_t>(size));
    if (input.rarely(16)) size = static_cast<Size>(input.odd_number());
  }
  void* bad_pointer(size_t bytes);
  void* pages() { return input.rarely(12) ? bad_pointer(4096) : memory_.pages(); }
  OBJECT_ATTRIBUTES* name();
  // Whether the fuzzer itself may follow the pointer: a client may pass one that is not aligned, and C++ may not use
  // it.
  bool writable(const void* at, size_t bytes) {
    return UserMemory::address(at) % alignof(uint64_t) == 0 && memory_.probe_write(UserMemory::address(at), bytes).ok();
  }

  base::testing::FuzzInput& input;
  const Thunk thunk;

 private:
  struct Out {
    const D3DKMT_HANDLE* at;
    Of of;
  };
  FuzzMemory& memory_;
  FuzzHandles& handles_;
  const FuzzHandles& foreign_;
  std::vector<Out> outs_;
  std::vector<HANDLE const*> nt_outs_;
};

// A call of `thunk` that the fuzzer makes, and its status.
NTSTATUS fuzz_call(Client& client, FuzzMemory& memory, FuzzHandles& handles, const FuzzHandles& foreign, Thunk thunk,
                   base::testing::FuzzInput& input, LUID adapter);

// A process that calls D3DKMT functions as the fuzzer says, and what belongs to it. On a thread of the machine.
class FuzzClient {
 public:
  FuzzClient(dxgk::Kernel& kernel, const char* name, LUID adapter);
  ~FuzzClient() { client_.process().end(); }

  // `foreign` are the handles of another process.
  NTSTATUS call(Thunk thunk, base::testing::FuzzInput& input, const FuzzHandles& foreign);
  // One of each kind of object, by calls that are all correct.
  void begin();

  FuzzHandles handles;

 private:
  void share(uint32_t flags);
  void publish(D3DKMT_HANDLE* objects, uint32_t count);
  D3DKMT_HANDLE newest(Of of) const {
    const auto& all = handles.of[static_cast<size_t>(of)];
    return all.empty() ? 0 : all.back();
  }

  FuzzMemory memory_;
  NtClientHandles nt_handles_;
  Client client_;
  const LUID adapter_;
};

}  // namespace kmt::testing
