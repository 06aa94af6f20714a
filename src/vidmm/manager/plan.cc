#include "vidmm/manager/plan.h"

#include <fmt/format.h>

#include <iterator>

#include "base/check.h"

namespace vidmm {
namespace {

const char* name(PagingOp::Kind kind) {
  switch (kind) {
    case PagingOp::Kind::WaitIdle:
      return "wait_idle";
    case PagingOp::Kind::NotifyEvict:
      return "notify_evict";
    case PagingOp::Kind::Fill:
      return "fill";
    case PagingOp::Kind::TransferIn:
      return "transfer_in";
    case PagingOp::Kind::TransferOut:
      return "transfer_out";
    case PagingOp::Kind::Move:
      return "move";
    case PagingOp::Kind::Discard:
      return "discard";
    case PagingOp::Kind::Decommit:
      return "decommit";
    case PagingOp::Kind::Lose:
      return "lose";
    case PagingOp::Kind::MapAperture:
      return "map_aperture";
    case PagingOp::Kind::UnmapAperture:
      return "unmap_aperture";
    case PagingOp::Kind::Rebind:
      return "rebind";
    case PagingOp::Kind::InitContext:
      return "init_context";
    case PagingOp::Kind::NotifyResident:
      return "notify_resident";
  }
  return "?";
}

}  // namespace

void Plan::cut(size_t count) {
  CHECK(count <= count_);
  count_ = count;
}

void Plan::add(PagingOp::Kind kind, Block& block, const Place& from, const Place& to) {
  if (count_ == ops_.size()) ops_.emplace_back();
  PagingOp& op = ops_[count_++];
  op.kind = kind;
  op.block = &block;
  op.from = from;
  op.to = to;
}

std::string to_string(const Place& place) {
  if (place.none()) return "sys";
  std::string text = fmt::format("{}", place.segment);
  for (const Extent& extent : place.extents) {
    fmt::format_to(std::back_inserter(text), "[{:#x}+{:#x}]", extent.offset, extent.bytes);
  }
  return text;
}

std::string to_string(const PagingOp& op) {
  std::string text = fmt::format("{} #{}", name(op.kind), op.block->ordinal());
  if (op.kind == PagingOp::Kind::WaitIdle || op.kind == PagingOp::Kind::NotifyEvict) return text;
  return fmt::format("{} {} -> {}", text, to_string(op.from), to_string(op.to));
}

std::string to_string(const Plan& plan) {
  std::string text;
  for (const PagingOp& op : plan) text += to_string(op) + "\n";
  return text;
}

}  // namespace vidmm
