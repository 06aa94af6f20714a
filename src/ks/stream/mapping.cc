#include "ks/stream/mapping.h"

#include <utility>
#include <vector>

#include "ks/device/device.h"
#include "nt/dma/dma_adapters.h"
#include "nt/mm/pool.h"

namespace ks {

Mapping::Mapping(Mapping&& other) noexcept
    : machine_(std::exchange(other.machine_, nullptr)),
      adapter_(other.adapter_),
      id_(std::exchange(other.id_, 0)),
      table_(std::exchange(other.table_, nullptr)),
      room_(std::exchange(other.room_, 0)),
      stride_(other.stride_),
      count_(other.count_) {}

Mapping::~Mapping() {
  end();
  if (table_) machine_->pool().free(table_, 0);
}

KSMAPPING* Mapping::at(uint32_t index) const { return reinterpret_cast<KSMAPPING*>(table_ + size_t{index} * stride_); }

base::Result<> Mapping::make_room(nt::Machine& machine, uint32_t count) {
  uint32_t bytes = count * stride_;
  machine_ = &machine;
  if (bytes <= room_) return {};
  if (table_) machine.pool().free(table_, 0);
  table_ = static_cast<uint8_t*>(machine.pool().allocate(bytes, 0, nt::PoolKind::Internal, nt::PoolFill::Zero));
  room_ = table_ ? bytes : 0;
  if (!table_) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "there is no memory for the mappings of a frame");
  return {};
}

base::Result<> Mapping::make(nt::Machine& machine, const RegisteredAdapter& adapter, MDL& mdl, uint32_t bytes,
                             bool write_to_device) {
  static thread_local std::vector<nt::DmaAdapters::Piece> pieces;
  pieces.clear();
  uint64_t id =
      TRY(machine.dma().map(*adapter.adapter, mdl, 0, bytes, write_to_device, adapter.max_mapping_bytes, pieces));
  stride_ = adapter.mapping_stride;
  if (auto room = make_room(machine, static_cast<uint32_t>(pieces.size())); !room.ok()) {
    machine.dma().unmap(*adapter.adapter, id);
    return room;
  }
  adapter_ = adapter.adapter;
  id_ = id;
  count_ = static_cast<uint32_t>(pieces.size());
  for (uint32_t i = 0; i < count_; ++i) {
    KSMAPPING& entry = *at(i);
    entry.PhysicalAddress.QuadPart = static_cast<LONGLONG>(pieces[i].bus);
    entry.ByteCount = pieces[i].bytes;
    entry.Alignment = 0;
  }
  return {};
}

void Mapping::end() {
  if (id_ != 0) machine_->dma().unmap(*adapter_, std::exchange(id_, 0));
  count_ = 0;
}

}  // namespace ks
