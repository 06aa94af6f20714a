#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ks {

// The frames of one allocator that are handed out. Memory is divided into cells of the size of a frame, so each frame
// begins in a cell of its own. A frame that overlaps it begins in the same cell or in one of the two beside it. So the
// check needs three look-ups in a hash table, however many frames there are. Guarded by its allocator's lock.
class AllocatorFrames {
 public:
  // `frame_bytes` 0: unknown, and only equal addresses overlap.
  explicit AllocatorFrames(size_t frame_bytes);

  // Returns 0 and adds the frame; or returns the address of a frame that it overlaps, and changes nothing.
  uintptr_t insert(uintptr_t frame);
  // False when it is not handed out.
  bool erase(uintptr_t frame);
  bool contains(uintptr_t frame) const;
  size_t count() const { return count_; }
  // All of them, in the order they were handed out.
  std::vector<uintptr_t> in_order() const;

  bool validate() const;

 private:
  // Cells that lie side by side share a group, and so a line of the processor's cache.
  static constexpr size_t kGroup = 8;

  struct Slot {
    uintptr_t frame = 0;  // 0: empty
    uint64_t number = 0;  // counts what was handed out
  };

  uint64_t cell(uintptr_t frame) const { return frame / frame_bytes_; }
  size_t home(uint64_t cell) const;
  // Where the frame of that cell is, or the empty slot where it would be.
  size_t find(uint64_t cell) const;
  uintptr_t overlapped(uintptr_t frame) const;
  void grow();

  const size_t frame_bytes_;
  std::vector<Slot> slots_;  // a power of two of them, at most half full
  size_t count_ = 0;
  uint64_t last_number_ = 0;
};

}  // namespace ks
