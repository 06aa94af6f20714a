#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

namespace base {

// Sole owner of a resource that must be given back to the system. Invalid means "nothing held"; Close is never called
// on it.
template <typename T, auto Close, auto Invalid>
class [[nodiscard]] Scoped {
 public:
  Scoped() = default;
  explicit Scoped(T resource) : resource_(resource) {}
  Scoped(Scoped&& other) noexcept : resource_(other.release()) {}
  Scoped& operator=(Scoped&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Scoped() { reset(); }

  const T& get() const { return resource_; }
  bool valid() const { return !(resource_ == T(Invalid)); }
  explicit operator bool() const { return valid(); }

  // Gives up ownership without closing.
  [[nodiscard]] T release() { return std::exchange(resource_, T(Invalid)); }
  void reset(T resource = T(Invalid)) {
    T old = std::exchange(resource_, resource);
    if (!(old == T(Invalid))) Close(old);
  }

 private:
  T resource_ = T(Invalid);
};

inline void close_fd(int fd) { ::close(fd); }
using ScopedFd = Scoped<int, close_fd, -1>;

// Bytes from mmap. Never MAP_FAILED: the caller of mmap turns that into a Failure.
struct Mapping {
  void* address = nullptr;
  size_t size_bytes = 0;

  friend bool operator==(const Mapping&, const Mapping&) = default;
};
inline void unmap(Mapping mapping) { ::munmap(mapping.address, mapping.size_bytes); }
using ScopedMapping = Scoped<Mapping, unmap, Mapping{}>;

}  // namespace base
