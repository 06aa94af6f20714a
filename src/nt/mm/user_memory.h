#pragma once

#include <cstddef>
#include <cstdint>

namespace nt {

// Memory of a program: whole pages, then one page without access rights. `bytes` end where that page begins, or up to
// 15 bytes before it, so that an overrun faults early.
class UserMemory {
 public:
  explicit UserMemory(size_t bytes);
  ~UserMemory();
  UserMemory(const UserMemory&) = delete;
  UserMemory& operator=(const UserMemory&) = delete;

  uint8_t* data() { return data_; }
  size_t size() const { return size_; }
  size_t slack() const;  // from the end of the memory to the page without access rights

 private:
  size_t mapped_;
  size_t size_;
  uint8_t* mapping_;
  uint8_t* data_;
};

}  // namespace nt
