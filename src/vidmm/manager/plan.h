#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vidmm/manager/block.h"

namespace vidmm {

// One step of moving memory. A value: its places are copies, so what is planned later does not disturb it.
struct PagingOp {
  enum class Kind : uint8_t {
    WaitIdle,     // until the GPU is done with everything submitted that may use the block
    NotifyEvict,  // NOTIFY_RESIDENCY, not resident
    Fill,         // `to` with zero
    TransferIn,   // backing → `to`
    TransferOut,  // `from` → backing; through the aperture range `to` when it has a segment
    Move,         // `from` → `to`, both in segments; `to` may be an aperture, whose pages are the backing
    Discard,      // the content is not wanted: of `from`; of the backing if the block has no place or is in an aperture
    Decommit,     // the backing goes; the next one is zero
    Lose,         // `from` has lost its content with the adapter: the notice of it (a transfer of size zero)
    MapAperture,  // the backing at `to`
    UnmapAperture,  // `from`
    Rebind,         // GPU mappings (and the CPU's) lead to `to`; to no memory when it has no segment
    InitContext,    // INIT_CONTEXT_RESOURCE
    NotifyResident  // NOTIFY_RESIDENCY, resident at `to`
  };

  Kind kind = Kind::WaitIdle;
  Block* block = nullptr;
  Place from;
  Place to;
};

// What has to be done, in this order. All plans of an adapter are executed one after another in the order in which the
// manager made them: a range that one op frees may be the target of the next. Keeps its memory when it is cleared.
class Plan {
 public:
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  std::span<const PagingOp> ops() const { return {ops_.data(), count_}; }
  const PagingOp* begin() const { return ops_.data(); }
  const PagingOp* end() const { return ops_.data() + count_; }
  void clear() { count_ = 0; }
  // Drops everything after the first `count`: what a request that failed had planned.
  void cut(size_t count);

  void add(PagingOp::Kind kind, Block& block, const Place& from, const Place& to);

 private:
  std::vector<PagingOp> ops_;
  size_t count_ = 0;
};

// One op per line: "transfer_out #3 2[0x1000+0x4000] -> sys".
std::string to_string(const Place& place);
std::string to_string(const PagingOp& op);
std::string to_string(const Plan& plan);

}  // namespace vidmm
