#include "nt/hardware/registers.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <deque>
#include <string>

#include "base/align.h"
#include "base/interval_map.h"
#include "nt/machine/machine.h"
#include "nt/mm/address_space.h"
#include "nt/mm/pool.h"

// Where a mapping lies:
//
//   kRegisterArena  |gap|--mapping 1--|gap|--mapping 2--|gap| …
//                        ^ same offset in its page as the physical address has
//
// The whole arena is always PROT_NONE: a mapping is only bookkeeping. Its address range is not used again in the same
// run, so that an access after the unmap can be distinguished from an access to an address that was never mapped.
namespace nt {
namespace {

constexpr uint64_t all_ones(uint32_t width_bytes) { return ~uint64_t{0} >> (64 - 8 * width_bytes); }

void reserve_arena() {
  static const bool once = (reserve(kRegisterArena, PROT_NONE), true);
  static_cast<void>(once);
}

struct Mapping {
  RegisterFile* file;
  uint64_t offset;  // of the mapping's first byte in the device's range
  uint64_t physical;
  bool unmapped = false;
  base::StackId unmapped_at = 0;
  Tracked tracked;
};

}  // namespace

struct Registers::Impl {
  using Guard = base::Guard<base::LockRank::Pool>;
  using Map = base::IntervalMap<uintptr_t, Mapping*>;

  explicit Impl(Machine& owner) : machine(owner) {}

  // The register file for `width` bytes at `address`; null, after a finding, when there is none.
  RegisterFile* resolve(uintptr_t address, uint32_t width, const char* verb, uint64_t& offset);
  void wrong(Violation what, const std::string& sentence, const Mapping* mapping);

  Machine& machine;
  mutable base::Mutex<base::LockRank::Pool> lock;
  base::IntervalMap<uint64_t, RegisterFile*> windows GUARDED_BY(lock);
  Map map GUARDED_BY(lock);
  std::deque<Mapping> mappings GUARDED_BY(lock);  // never moved: each is on a scope's list
  uintptr_t next GUARDED_BY(lock) = kRegisterArena.base + base::kPageBytes;
};

Registers::Registers(Machine& machine) : impl_(std::make_unique<Impl>(machine)) { reserve_arena(); }
Registers::~Registers() = default;

void Registers::add(uint64_t physical, uint64_t bytes, RegisterFile& file) {
  Impl::Guard guard(impl_->lock);
  CHECK_MSG(impl_->windows.insert(physical, physical + bytes, &file), "two devices answer one physical address");
}

std::optional<uint64_t> Registers::place(uint64_t from, uint64_t below, uint64_t bytes, RegisterFile& file) {
  Impl::Guard guard(impl_->lock);
  for (uint64_t at = base::round_up(from, bytes); at < below && bytes <= below - at;) {
    const auto* taken = impl_->windows.find_overlap(at, at + bytes);
    if (!taken) {
      impl_->windows.insert(at, at + bytes, &file);
      return at;
    }
    at = base::round_up(taken->hi, bytes);
  }
  return std::nullopt;
}

void Registers::remove(uint64_t physical) {
  Impl::Guard guard(impl_->lock);
  CHECK(impl_->windows.erase(physical));
}

void* Registers::map(uint64_t physical, size_t bytes) {
  uintptr_t address;
  Mapping* mapping;
  {
    Impl::Guard guard(impl_->lock);
    if (impl_->next >= kRegisterArena.end() - base::kPageBytes) return nullptr;
    const auto* window = impl_->windows.find(physical);
    if (!window || bytes == 0 || bytes > window->hi - physical) return nullptr;
    address = impl_->next + physical % base::kPageBytes;
    if (bytes >= kRegisterArena.end() - address) return nullptr;
    impl_->next = base::round_up(address + bytes, base::kPageBytes) + base::kPageBytes;
    mapping = &impl_->mappings.emplace_back();
    mapping->file = window->value;
    mapping->offset = physical - window->lo;
    mapping->physical = physical;
    mapping->tracked.kind = ResourceKind::IoMapping;
    impl_->map.insert(address, address + bytes, mapping);
  }
  impl_->machine.track(mapping->tracked);
  return reinterpret_cast<void*>(address);
}

void Registers::unmap(void* raw, size_t bytes) {
  auto address = reinterpret_cast<uintptr_t>(raw);
  base::StackId here = impl_->machine.here_id();
  Mapping* there = nullptr;
  bool ends = false;  // whether a mapping ends here, rightly or not
  std::string sentence;
  {
    Impl::Guard guard(impl_->lock);
    const auto* entry = impl_->map.find(address);
    if (entry) there = entry->value;
    if (!entry) {
      sentence = "MmUnmapIoSpace was given an address that MmMapIoSpace did not return";
    } else if (there->unmapped) {
      sentence = "MmUnmapIoSpace was given a mapping that was unmapped before";
    } else if (entry->lo != address) {
      sentence = fmt::format("MmUnmapIoSpace was given an address 0x{:X} bytes inside a mapping", address - entry->lo);
    } else {
      ends = true;
      there->unmapped = true;
      there->unmapped_at = here;
      size_t mapped = entry->hi - entry->lo;
      if (mapped != bytes)
        sentence = fmt::format("MmUnmapIoSpace of 0x{:X} bytes, where 0x{:X} were mapped", bytes, mapped);
    }
  }
  if (ends) impl_->machine.untrack(there->tracked);
  if (!sentence.empty()) impl_->wrong(Violation::IoSpaceMismatch, sentence, there);
}

uint64_t Registers::read(const volatile void* address, uint32_t width_bytes) {
  impl_->machine.executor().yield(base::Point::Call);
  uint64_t offset = 0;
  RegisterFile* file = impl_->resolve(reinterpret_cast<uintptr_t>(address), width_bytes, "read", offset);
  // No device answers: a bus that no device drives reads as ones.
  uint64_t value = file ? file->read(offset, width_bytes) & all_ones(width_bytes) : all_ones(width_bytes);
  impl_->machine.note(trace::DeviceRead{.offset = offset, .value = value, .width = static_cast<uint8_t>(width_bytes)});
  return value;
}

void Registers::write(volatile void* address, uint32_t width_bytes, uint64_t value) {
  impl_->machine.executor().yield(base::Point::Call);
  uint64_t offset = 0;
  RegisterFile* file = impl_->resolve(reinterpret_cast<uintptr_t>(address), width_bytes, "write", offset);
  if (!file) return;
  impl_->machine.note(trace::DeviceWrite{.offset = offset, .value = value, .width = static_cast<uint8_t>(width_bytes)});
  file->write(offset, width_bytes, value);
}

RegisterFile* Registers::Impl::resolve(uintptr_t address, uint32_t width, const char* verb, uint64_t& offset) {
  const Mapping* mapping = nullptr;
  std::string sentence;
  {
    Guard guard(lock);
    const auto* entry = map.find(address);
    if (!entry) {
      sentence = fmt::format("a {}-byte register {} at an address that lies in no mapping", width, verb);
    } else {
      mapping = entry->value;
      offset = mapping->offset + (address - entry->lo);
      if (mapping->unmapped) {
        sentence =
            fmt::format("a {}-byte register {} at offset 0x{:X}, in a mapping that was unmapped", width, verb, offset);
      } else if (entry->hi - address < width) {
        sentence = fmt::format("a {}-byte register {} at offset 0x{:X}, of which {} byte(s) lie beyond the mapping",
                               width, verb, offset, width - (entry->hi - address));
      } else if (offset % width != 0) {
        sentence = fmt::format("a {}-byte register {} at offset 0x{:X}, which is not a multiple of {}", width, verb,
                               offset, width);
      }
    }
  }
  if (sentence.empty()) return mapping->file;
  wrong(Violation::RegisterOutOfRange, sentence, mapping);
  return nullptr;
}

void Registers::Impl::wrong(Violation what, const std::string& sentence, const Mapping* mapping) {
  if (!mapping) {
    machine.report_violation(what, sentence);
  } else if (!mapping->unmapped) {
    machine.report_violation(what, sentence, {{"mapped", machine.stacks().get(mapping->tracked.stack)}});
  } else {
    machine.report_violation(what, sentence,
                             {{"mapped", machine.stacks().get(mapping->tracked.stack)},
                              {"unmapped", machine.stacks().get(mapping->unmapped_at)}});
  }
}

std::optional<uint64_t> Registers::mapped_offset(uintptr_t address) const {
  Impl::Guard guard(impl_->lock);
  const auto* entry = impl_->map.find(address);
  if (!entry) return std::nullopt;
  return entry->value->offset + (address - entry->lo);
}

std::optional<uint64_t> Registers::physical(uintptr_t address) const {
  Impl::Guard guard(impl_->lock);
  const auto* entry = impl_->map.find(address);
  if (!entry || entry->value->unmapped) return std::nullopt;
  return entry->value->physical + (address - entry->lo);
}

bool Registers::mapped(uintptr_t address) const {
  Impl::Guard guard(impl_->lock);
  const auto* entry = impl_->map.find(address);
  return entry && !entry->value->unmapped;
}

}  // namespace nt
