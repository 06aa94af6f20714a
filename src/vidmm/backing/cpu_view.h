#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"

namespace vidmm {

// Some pages of a file.
struct FilePart {
  int file = -1;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// Addresses that stay while the bytes behind them move: a program uses them for an allocation that it has locked. They
// show pages of files one behind the other, those of a backing or those of a bar; or they show nothing and fault. Owned
// by the block, which serialises calls; any thread may use the bytes.
class CpuView {
 public:
  // STATUS_NO_MEMORY. Shows nothing yet. `bytes` are whole pages.
  static base::Result<std::unique_ptr<CpuView>> reserve(uint64_t bytes);
  ~CpuView();
  CpuView(const CpuView&) = delete;
  CpuView& operator=(const CpuView&) = delete;

  void* address() const { return address_; }
  uint64_t bytes() const { return bytes_; }
  bool shown() const { return shown_; }
  std::span<uint64_t> words() const { return {static_cast<uint64_t*>(address_), bytes_ / sizeof(uint64_t)}; }

  // The parts have as many bytes as the view. A thread that touches the addresses meanwhile sees the old page or the
  // new one. STATUS_NO_MEMORY: it shows nothing.
  base::Result<> show(std::span<const FilePart> parts);
  void hide();

 private:
  CpuView(void* address, uint64_t bytes) : address_(address), bytes_(bytes) {}

  void* address_;
  uint64_t bytes_;
  bool shown_ = false;
};

// What programs write while bytes are copied from one place to another, and their addresses still lead to the first:
//
//   from   |--a--|--b--|--c--|     begin()
//   from   |--a--|--B--|--c--|     a program has written B; the copy may have been past it
//   to     |--a--|--b--|--c--|     what the copy made of it
//   to     |--a--|--B--|--c--|     arrived(); then the addresses change over to `to`
//   from   |--A--|--B--|--c--|     A was written before they had changed
//   to     |--A--|--B--|--C--|     carry_over(); C was written after it
//
// Only what has changed in `from` since begin() is carried over, and only where `to` was not written meanwhile: a
// copy that was wrong stays wrong. No write is lost, but for one: that a byte which was written meanwhile is written
// back to what it was. A thread that reads A between the change and carry_over(), a matter of microseconds,
// may see what was there before it. On a simulated machine no thread runs then.
class WritesUnderway {
 public:
  static base::Result<std::unique_ptr<WritesUnderway>> begin(std::span<const FilePart> from, uint64_t bytes);

  // The copy is done, and no program reaches `to`.
  base::Result<> arrived(std::span<const FilePart> to);
  // No program reaches `from` any more.
  void carry_over();

 private:
  std::unique_ptr<CpuView> from_, to_;
  std::vector<uint64_t> from_before_, to_before_;
};

}  // namespace vidmm
