#include "dxgk/call_buffer.h"

#include <fmt/format.h>

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

void ConstCallBuffer::check_unchanged(const char* ddi) const {
  if (!guarded_ || std::memcmp(data_, original_.data(), original_.size()) == 0) return;
  machine_.broke(nt::Broke::ConstDataChanged,
                 fmt::format("{} wrote to the private data of the resource, which it may only read", ddi));
}

}  // namespace dxgk
