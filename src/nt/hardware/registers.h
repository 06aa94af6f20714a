#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace nt {

class Machine;

// What answers when a register is touched. Implemented by a device model's host (nt/hardware/device.h) and by tests.
class RegisterFile {
 public:
  virtual uint64_t read(uint64_t offset, uint32_t width_bytes) = 0;
  virtual void write(uint64_t offset, uint32_t width_bytes, uint64_t value) = 0;

 protected:
  ~RegisterFile() = default;
};

// Physical address ranges that devices answer, and where drivers have mapped them. A mapping is address space that
// faults: registers are reached through READ_REGISTER_* and WRITE_REGISTER_* only, a plain dereference is a finding.
class Registers {
 public:
  explicit Registers(Machine& machine);
  ~Registers();

  // Devices answer [physical, physical + bytes) from now on. The file outlives the machine's run.
  void add(uint64_t physical, uint64_t bytes, RegisterFile& file);
  // The same at the lowest free place in [from, below) that is aligned to `bytes`, a power of two. Nothing when full.
  std::optional<uint64_t> place(uint64_t from, uint64_t below, uint64_t bytes, RegisterFile& file);

  // Removes the range that begins at `physical`. Nothing of it may be mapped.
  void remove(uint64_t physical);

  // MmMapIoSpace / MmUnmapIoSpace. Null when nothing answers there.
  void* map(uint64_t physical, size_t bytes);
  void unmap(void* address, size_t bytes);

  uint64_t read(const volatile void* address, uint32_t width_bytes);
  void write(volatile void* address, uint32_t width_bytes, uint64_t value);

  // Whether `address` lies in a mapping, or in one that was unmapped since (for a fault's report): its offset in the
  // device's range.
  std::optional<uint64_t> mapped_offset(uintptr_t address) const;
  // The physical address behind an address in a mapping that still is one.
  std::optional<uint64_t> physical(uintptr_t address) const;
  // Whether it lies in a mapping that still is one.
  bool mapped(uintptr_t address) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nt
