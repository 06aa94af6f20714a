#include "query.h"

#include <stddef.h>
#include <string.h>

#include "device.h"

namespace softgpu {
namespace {

constexpr uint64_t kTicksPerSecond = 1000000000;

bool asks_gpu(QueryKind kind) { return kind == QueryKind::Event || kind == QueryKind::Timestamp; }

}  // namespace

// --- Life ---

Query* Queries::create(Device& device, QueryKind kind, HRESULT* result) {
  *result = make_memory(device);
  if (FAILED(*result)) return nullptr;
  *result = E_OUTOFMEMORY;
  uint32_t slot;
  if (!take_slot(&slot)) return nullptr;
  Query* query = new Query{};
  if (!query) {
    taken_[slot / 64] &= ~(1ull << slot % 64);
    return nullptr;
  }
  *result = S_OK;
  query->kind = kind;
  query->slot = slot;
  query->next = first_;
  if (first_) first_->previous = query;
  first_ = query;
  return query;
}

void Queries::destroy(Query* query) {
  taken_[query->slot / 64] &= ~(1ull << query->slot % 64);
  (query->previous ? query->previous->next : first_) = query->next;
  if (query->next) query->next->previous = query->previous;
  delete query;
}

void Queries::destroy() {
  while (first_) destroy(first_);
  memory_ = nullptr;
}

HRESULT Queries::make_memory(Device& device) {
  if (memory_) return S_OK;
  ResourceShape shape = {};
  shape.format = find_format(D3DDDIFMT_VERTEXDATA);
  shape.cached = true;
  shape.levels = 1;
  shape.surface_count = 1;
  Resource* memory = new_resource(shape);
  if (!memory) return E_OUTOFMEMORY;
  shape_surface(*memory, 0, {kSlots * sizeof(Slot), 1, 0, nullptr});
  HRESULT result = device.create(memory);
  if (FAILED(result)) return result;
  uint8_t* bytes = nullptr;
  result = device.map(*memory, memory->surfaces[0], Access::Write, Wait::Yes, &bytes);
  if (SUCCEEDED(result)) {
    memset(bytes, 0, kSlots * sizeof(Slot));
    result = device.unmap(memory->surfaces[0]);
  }
  if (FAILED(result)) {
    device.retire(memory);
    return result;
  }
  memory_ = memory;
  return S_OK;
}

bool Queries::take_slot(uint32_t* slot) {
  for (uint32_t i = 0; i < kSlots / 64; ++i) {
    if (taken_[i] == ~0ull) continue;
    uint32_t bit = static_cast<uint32_t>(__builtin_ctzll(~taken_[i]));
    taken_[i] |= 1ull << bit;
    *slot = i * 64 + bit;
    return true;
  }
  return false;
}

// --- Asking ---

HRESULT Queries::ask(Device& device, Query& query) {
  if (!asks_gpu(query.kind)) return S_OK;
  Allocation* memory = memory_->surfaces[0].current;
  uint64_t at = query.slot * sizeof(Slot);
  if (query.kind == QueryKind::Timestamp) {
    SOFTGPU_TIMESTAMP packet = {};
    packet.header = softgpu_header(SOFTGPU_CMD_TIMESTAMP, 0, sizeof(packet), 0);
    Operand operand = {memory, at + offsetof(Slot, time), offsetof(SOFTGPU_TIMESTAMP, address), true};
    HRESULT result = device.add(packet.header, &operand, 1);
    if (FAILED(result)) return result;
  }
  SOFTGPU_SIGNAL packet = {};
  packet.header = softgpu_header(SOFTGPU_CMD_SIGNAL, 0, sizeof(packet), 0);
  packet.value = asked_ + 1;
  Operand operand = {memory, at + offsetof(Slot, reached), offsetof(SOFTGPU_SIGNAL, address), true};
  HRESULT result = device.add(packet.header, &operand, 1);
  if (FAILED(result)) return result;
  query.asked = ++asked_;
  query.batch = device.context().batch();
  return S_OK;
}

// The GPU never answers a query that was not submitted.
HRESULT Queries::answer(Device& device, const Query& query, uint64_t* value) {
  if (!asks_gpu(query.kind)) {
    *value = query.kind == QueryKind::Frequency ? kTicksPerSecond : 0;
    return S_OK;
  }
  if (!query.asked) return S_FALSE;
  HRESULT result = query.batch == device.context().batch() ? device.flush() : S_OK;
  return FAILED(result) ? result : read(device, query, value);
}

HRESULT Queries::read(Device& device, const Query& query, uint64_t* value) {
  uint8_t* bytes = nullptr;
  HRESULT result = device.map(*memory_, memory_->surfaces[0], Access::Append, Wait::No, &bytes);
  if (FAILED(result)) return result;
  const auto* slot = reinterpret_cast<const volatile Slot*>(bytes) + query.slot;
  bool reached = slot->reached >= query.asked;
  *value = query.kind == QueryKind::Timestamp ? slot->time : 1;
  result = device.unmap(memory_->surfaces[0]);
  if (FAILED(result)) return result;
  return reached ? S_OK : S_FALSE;
}

}  // namespace softgpu
