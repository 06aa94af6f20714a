#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/result.h"

namespace kmt {

// The memory of a client. It may be unmapped, or change while a call reads it. The kernel reads it once, into memory of
// its own, and judges that copy. A range that is not all there is refused with STATUS_INVALID_PARAMETER; a write that
// is refused has changed nothing. Owned by the code that runs the client; any thread.
class UserMemory {
 public:
  virtual ~UserMemory() = default;

  virtual base::Result<> read(void* to, uint64_t from, size_t bytes) = 0;
  virtual base::Result<> write(uint64_t to, const void* from, size_t bytes) = 0;
  // Whether a write would do now: for answers of several parts, which are written all or not at all.
  virtual base::Result<> probe_write(uint64_t to, size_t bytes) = 0;

  // The same by the client's own pointers, which are never followed.
  template <typename T>
  base::Result<T> read(const T* user) {
    static_assert(std::is_trivially_copyable_v<T>);
    T copy;
    TRY(read(&copy, address(user), sizeof(T)));
    return copy;
  }
  template <typename T>
  base::Result<> write(T* user, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return write(address(user), &value, sizeof(T));
  }
  template <typename T>
  base::Result<> read(std::span<T> to, const void* user) {
    return to.empty() ? base::Result<>{} : read(to.data(), address(user), to.size_bytes());
  }
  template <typename T>
  base::Result<> write(void* user, std::span<const T> from) {
    return from.empty() ? base::Result<>{} : write(address(user), from.data(), from.size_bytes());
  }
  template <typename T>
  base::Result<> probe_write(T* user, size_t count = 1) {
    return probe_write(address(user), count * sizeof(T));
  }
  base::Result<> probe_write(void* user, size_t bytes) { return probe_write(address(user), bytes); }

  static uint64_t address(const void* user) { return reinterpret_cast<uintptr_t>(user); }
  // The address of a member. The structure need not be aligned.
  template <typename T, typename Member>
  static uint64_t address(const T* user, Member T::*member) {
    static const T kPlain{};
    return address(user) + (address(&(kPlain.*member)) - address(&kPlain));
  }
};

}  // namespace kmt
