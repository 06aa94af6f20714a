#include "nt/dma/iommu.h"

#include <algorithm>

#include "base/align.h"
#include "nt/dma/dma_adapters.h"
#include "nt/machine/machine.h"
#include "nt/mm/address_space.h"
#include "nt/mm/physical_memory.h"

namespace nt {
namespace {

// Where there is no memory (physical_windows.h) and no register (device.cc).
constexpr uint64_t kLowAt = 3 * kGiB;
constexpr uint64_t kHighAt = 512 * kGiB;
constexpr uint64_t kSliceBytes = Iommu::kPages * base::kPageBytes;
static_assert(kLowAt + Iommu::kMostDevices * kSliceBytes <= 0xF000'0000);

constexpr uint64_t page_of(uint64_t address) { return base::round_down(address, base::kPageBytes); }
constexpr uint32_t in_page(uint64_t address) { return static_cast<uint32_t>(address & (base::kPageBytes - 1)); }

// After which pages there is a hole in the bus addresses, a bit for each of sixteen: none, all, or any.
uint64_t hole_pattern(uint64_t drawn) {
  constexpr uint64_t kAll = 0xFFFF;
  switch (drawn & 3) {
    case 0:
      return 0;
    case 1:
      return kAll;
    default:
      return drawn >> 2 & kAll;
  }
}

// How many of the `left` pages come next to each other, the first being number `done`.
uint32_t run_length(uint64_t pattern, uint32_t done, uint32_t left) {
  uint32_t length = 1;
  while (length < left && !(pattern >> ((done + length - 1) % 16) & 1)) ++length;
  return length;
}

// Appends `bytes` at `bus` to the pieces from `first` on, and makes none larger than `most`.
void append(std::vector<Iommu::Piece>& out, size_t first, uint64_t bus, uint32_t bytes, uint32_t most) {
  while (bytes != 0) {
    bool more = out.size() > first && out.back().bus + out.back().bytes == bus && out.back().bytes < most;
    if (!more) out.push_back({bus, 0});
    uint32_t taken = std::min(bytes, most - out.back().bytes);
    out.back().bytes += taken;
    bus += taken;
    bytes -= taken;
  }
}

}  // namespace

uint64_t Iommu::slice(Reach reach, uint32_t ordinal) {
  return (reach == Reach::Low ? kLowAt : kHighAt) + ordinal * kSliceBytes;
}

Iommu::Iommu(Machine& machine, uint32_t ordinal) : machine_(machine), ordinal_(ordinal) {
  CHECK(ordinal < kMostDevices);
  auto rotation = static_cast<uint32_t>(machine.executor().choose(kPages));
  for (Reach reach : {Reach::Low, Reach::High}) {
    windows_[static_cast<size_t>(reach)].base = slice(reach, ordinal);
    windows_[static_cast<size_t>(reach)].rotation = rotation;
  }
}

bool Iommu::owns(uint64_t bus) const {
  return bus - slice(Reach::Low, ordinal_) < kSliceBytes || bus - slice(Reach::High, ordinal_) < kSliceBytes;
}

// --- Slots ---

const Iommu::Slot* Iommu::Window::at(uint64_t bus) const {
  uint64_t slot = ((bus - base) / base::kPageBytes + kPages - rotation) % kPages;
  return slot < slots.size() && slots[slot].used ? &slots[slot] : nullptr;
}

uint32_t Iommu::Window::last_live(uint32_t from, uint32_t to) const {
  if (from >= slots.size()) return kNone;
  for (uint32_t slot = std::min<uint32_t>(to, static_cast<uint32_t>(slots.size()) - 1);; --slot) {
    if (slots[slot].live) return slot;
    if (slot == from) return kNone;
  }
}

uint32_t Iommu::Window::find_run(uint32_t count) {
  uint32_t seam = kPages - rotation;  // where the addresses go back to the beginning of the slice
  for (uint32_t tried = 0; tried <= 2 * kPages;) {
    uint32_t first = cursor + 1, past = first + count, from = cursor;
    if (past >= kPages) {
      tried += kPages - from + 1;
      cursor = 0;
    } else if (first < seam && past > seam) {
      cursor = seam;
    } else if (uint32_t taken = last_live(cursor, past); taken != kNone) {
      cursor = taken + 1;
    } else {
      cursor = past;
      return first;
    }
    if (cursor > from) tried += cursor - from;
  }
  return kNone;
}

const Iommu::Window* Iommu::window_of(uint64_t bus) const {
  for (const Window& window : windows_) {
    if (bus - window.base < kSliceBytes) return &window;
  }
  return nullptr;
}

// --- Mappings ---

std::optional<Iommu::MappingId> Iommu::map(const Request& request, std::span<const Bytes> bytes,
                                           std::vector<Piece>& out) {
  auto pages = static_cast<uint32_t>(bytes.size());
  CHECK(pages != 0);
  if (pages >= kPages) return std::nullopt;
  uint64_t pattern = pages > 1 && !request.contiguous ? hole_pattern(machine_.executor().choose(1 << 18)) : 0;
  base::StackId here = machine_.here_id();
  base::Guard guard(lock_);
  if (!place(request, pages, pattern)) return std::nullopt;
  fill(request, bytes, here, out);
  return new_mapping(request.reach, runs_.front().slot);
}

bool Iommu::place(const Request& request, uint32_t pages, uint64_t pattern) {
  Window& slots = window(request.reach);
  runs_.clear();
  for (uint32_t done = 0; done < pages; done += runs_.back().count) {
    uint32_t count = run_length(pattern, done, pages - done);
    uint32_t slot = slots.find_run(count);
    if (slot == kNone && !request.contiguous) slot = slots.find_run(count = 1);
    if (slot == kNone) {
      for (const Run& run : runs_) {
        for (uint32_t i = 0; i < run.count; ++i) slots.slots[run.slot + i].live = false;
      }
      return false;
    }
    if (slots.slots.size() < slot + count) slots.slots.resize(slot + count);
    for (uint32_t i = 0; i < count; ++i) slots.slots[slot + i].live = true;
    runs_.push_back({slot, count});
  }
  return true;
}

void Iommu::fill(const Request& request, std::span<const Bytes> bytes, base::StackId here, std::vector<Piece>& out) {
  Window& slots = window(request.reach);
  const uint32_t most = request.max_piece ? request.max_piece : UINT32_MAX;
  const size_t first_piece = out.size();
  uint32_t* link = nullptr;
  const Bytes* next = bytes.data();
  for (const Run& run : runs_) {
    for (uint32_t slot = run.slot; slot < run.slot + run.count; ++slot, ++next) {
      uint32_t first = in_page(next->physical);
      CHECK(first + next->count <= base::kPageBytes);
      slots.slots[slot] = Slot{.page = page_of(next->physical),
                               .mapped = here,
                               .first = static_cast<uint16_t>(first),
                               .end = static_cast<uint16_t>(first + next->count),
                               .used = true,
                               .live = true,
                               .device_reads = request.device_reads,
                               .device_writes = request.device_writes};
      if (link) *link = slot;
      link = &slots.slots[slot].next;
      append(out, first_piece, slots.address(slot) + first, next->count, most);
    }
  }
}

Iommu::MappingId Iommu::new_mapping(Reach reach, uint32_t first) {
  if (free_mappings_.empty()) {
    free_mappings_.push_back(static_cast<uint32_t>(mappings_.size()));
    mappings_.emplace_back();
  }
  uint32_t index = free_mappings_.back();
  free_mappings_.pop_back();
  Mapping& mapping = mappings_[index];
  mapping = {first, mapping.generation + 1, reach};
  return MappingId{mapping.generation} << 32 | index;
}

uint32_t Iommu::unmap(MappingId id) {
  base::StackId here = machine_.here_id();
  base::Guard guard(lock_);
  auto index = static_cast<uint32_t>(id);
  if (index >= mappings_.size() || mappings_[index].first == kNone || mappings_[index].generation != id >> 32) return 0;
  Window& slots = window(mappings_[index].reach);
  uint32_t pages = 0;
  for (uint32_t slot = mappings_[index].first; slot != kNone; slot = slots.slots[slot].next, ++pages) {
    slots.slots[slot].live = false;
    slots.slots[slot].unmapped = here;
  }
  mappings_[index].first = kNone;
  free_mappings_.push_back(index);
  return pages;
}

// --- A device's accesses ---

std::optional<Iommu::Objection> Iommu::translate_pages(uint64_t bus, size_t bytes, bool write,
                                                       std::vector<Bytes>& out) {
  base::Guard guard(lock_);
  for (size_t done = 0; done < bytes;) {
    uint64_t at = bus + done;
    auto count = static_cast<uint32_t>(std::min<size_t>(bytes - done, base::kPageBytes - in_page(at)));
    const Window* slots = window_of(at);
    const Slot* slot = slots ? slots->at(at) : nullptr;
    if (!slot && done != 0) return Objection{Violation::DmaBeyondMapping, "of which only a part was mapped", 0, 0};
    if (!slot) return Objection{Violation::DmaNeverMapped, "which was never mapped for it", 0, 0};
    auto objection = [&](Violation what, const char* why) {
      return Objection{what, why, slot->mapped, slot->unmapped};
    };
    if (!slot->live) return objection(Violation::DmaUnmapped, "which was unmapped before");
    if (in_page(at) < slot->first || in_page(at) + count > slot->end) {
      return objection(Violation::DmaBeyondMapping, "of which only a part was mapped");
    }
    if (write && !slot->device_writes) {
      return objection(Violation::DmaDirection, "which was mapped for a transfer to the device");
    }
    if (!write && !slot->device_reads) {
      return objection(Violation::DmaDirection, "which was mapped for a transfer from the device");
    }
    out.push_back({slot->page + in_page(at), count});
    done += count;
  }
  return std::nullopt;
}

Iommu::Fault Iommu::fault_of(uint64_t bus, const Objection& objection) {
  Fault fault{objection.what, objection.why, {}};
  if (objection.mapped) fault.stacks.push_back({"mapped", machine_.stacks().get(objection.mapped)});
  if (objection.unmapped) fault.stacks.push_back({"unmapped", machine_.stacks().get(objection.unmapped)});
  if (objection.what == Violation::DmaNeverMapped) {
    const Iommu* owner = machine_.dma().owner_of(bus);
    if (owner && owner != this) return {Violation::DmaForeign, "which is an address of another device", {}};
    if (machine_.physical().address(bus)) fault.why = "which is a physical address, and was never mapped for it";
  }
  return fault;
}

std::optional<Iommu::Fault> Iommu::translate(uint64_t bus, size_t bytes, bool write, std::vector<Bytes>& out) {
  if (auto objection = translate_pages(bus, bytes, write, out)) return fault_of(bus, *objection);
  for (const Bytes& piece : out) {
    std::string why = machine_.physical().check(piece.physical, piece.count);
    if (!why.empty()) return Fault{Violation::DmaInvalid, std::move(why), {}};
  }
  return std::nullopt;
}

Iommu::Fault Iommu::gone_memory() {
  return {Violation::ClientMemoryGone, "which is memory that the client has unmapped", {}};
}

std::optional<Iommu::Fault> Iommu::read(uint64_t bus, void* to, size_t bytes) {
  std::vector<Bytes> pieces;
  if (auto fault = translate(bus, bytes, false, pieces)) return fault;
  auto* at = static_cast<char*>(to);
  bool gone = false;
  for (const Bytes& piece : pieces) {
    machine_.physical().read(piece.physical, at, piece.count, &gone);
    at += piece.count;
  }
  return gone ? std::optional(gone_memory()) : std::nullopt;
}

std::optional<Iommu::Fault> Iommu::write(uint64_t bus, const void* from, size_t bytes) {
  std::vector<Bytes> pieces;
  if (auto fault = translate(bus, bytes, true, pieces)) return fault;
  const auto* at = static_cast<const char*>(from);
  bool gone = false;
  for (const Bytes& piece : pieces) {
    machine_.physical().write(piece.physical, at, piece.count, &gone);
    at += piece.count;
  }
  return gone ? std::optional(gone_memory()) : std::nullopt;
}

}  // namespace nt
