#include "umd/common/handles.h"

#include "base/check.h"

namespace umd {
namespace {

//   63    56 55   52 51                  24 23                  0
//   | 0x5D  | kind  |     generation       |       index        |
//
// No canonical address begins with 0x5D.
constexpr uint64_t kMark = 0x5D;
constexpr uint32_t kGenerations = 1u << 28, kIndices = 1u << 24;

HANDLE encode(HandleKind kind, uint32_t generation, uint32_t index) {
  uint64_t bits = kMark << 56 | static_cast<uint64_t>(kind) << 52 | static_cast<uint64_t>(generation) << 24 | index;
  return reinterpret_cast<HANDLE>(bits);
}

}  // namespace

const char* to_string(HandleKind kind) {
  switch (kind) {
    case HandleKind::None:
      return "no handle of the runtime";
    case HandleKind::Adapter:
      return "an adapter's handle";
    case HandleKind::Device:
      return "a device's handle";
    case HandleKind::Resource:
      return "a resource's handle";
    case HandleKind::Context:
      return "a context's handle";
  }
  return "";
}

HANDLE Handles::add(HandleKind kind, void* object) {
  uint32_t index;
  if (free_ != 0) {
    index = free_ - 1;
    free_ = entries_[index].next_free;
  } else {
    index = static_cast<uint32_t>(entries_.size());
    CHECK(index < kIndices);
    entries_.emplace_back();
  }
  Entry& entry = entries_[index];
  entry.object = object;
  entry.kind = kind;
  ++live_;
  return encode(kind, entry.generation, index);
}

void Handles::remove(HANDLE handle) {
  CHECK(find(handle).live);
  auto index = static_cast<uint32_t>(reinterpret_cast<uint64_t>(handle) % kIndices);
  Entry& entry = entries_[index];
  entry.object = nullptr;
  entry.generation = (entry.generation + 1) % kGenerations;
  entry.next_free = free_;
  free_ = index + 1;
  --live_;
}

Handles::Found Handles::find(HANDLE handle) const {
  uint64_t bits = reinterpret_cast<uint64_t>(handle);
  auto index = static_cast<uint32_t>(bits % kIndices);
  auto kind = static_cast<HandleKind>(bits >> 52 & 0xF);
  if (bits >> 56 != kMark || index >= entries_.size() || kind == HandleKind::None || kind > HandleKind::Context) {
    return {};
  }
  const Entry& entry = entries_[index];
  bool live = entry.object && entry.kind == kind && entry.generation == (bits >> 24) % kGenerations;
  return {kind, live, live ? entry.object : nullptr};
}

}  // namespace umd
