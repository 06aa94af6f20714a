#include "dxgk/ddi/call_buffer.h"

#include <fmt/format.h>

#include "nt/mm/pool.h"

namespace dxgk {

CallBuffer::CallBuffer(nt::Machine& machine, std::span<const uint8_t> bytes) : machine_(machine), original_(bytes) {
  if (bytes.empty()) return;
  guarded_ = machine.options().pace == nt::Pace::Simulated;
  if (!guarded_) {
    data_ = const_cast<uint8_t*>(bytes.data());
    return;
  }
  data_ = machine.pool().allocate(bytes.size(), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(data_);
  std::memcpy(data_, bytes.data(), bytes.size());
}

CallBuffer::~CallBuffer() {
  if (guarded_) machine_.pool().free(data_, 0);
}

void ConstCallBuffer::check_unchanged(const char* ddi, const char* what) const {
  if (!changed()) return;
  machine_.report_violation(nt::Violation::ConstDataChanged,
                            fmt::format("{} wrote to {}, which it may only read", ddi, what));
}

void* CallBuffers::add(std::span<uint8_t> bytes) {
  if (bytes.empty()) return nullptr;
  if (machine_.options().pace != nt::Pace::Simulated) return bytes.data();
  guarded_.emplace_back(std::make_unique<CallBuffer>(machine_, bytes), bytes);
  return guarded_.back().first->data();
}

void CallBuffers::copy_back() {
  for (const auto& [buffer, bytes] : guarded_) buffer->copy_back(bytes);
}

void CallBuffers::check_unchanged(const char* ddi) const {
  for (const auto& [buffer, bytes] : guarded_) {
    if (!buffer->changed()) continue;
    machine_.report_violation(
        nt::Violation::OpenerDataChanged,
        fmt::format("{} wrote to the private data of an allocation that another device created", ddi));
  }
}

}  // namespace dxgk
