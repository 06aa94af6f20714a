// Packet-based DMA: a channel, its map registers, and the transfers that use them. Pages:
// wdm/nc-wdm-pallocate_adapter_channel, nc-wdm-pmap_transfer, nc-wdm-pflush_adapter_buffers, nc-wdm-pfree_map_registers
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/align.h"
#include "nt/boundary/driver_call.h"
#include "nt/dma/dma_adapter.h"

namespace nt {

base::Result<> DmaAdapter::allocate_channel(DEVICE_OBJECT& device, uint32_t count, PDRIVER_CONTROL routine,
                                            void* context) {
  if (count > facts_.map_registers) {
    return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "more map registers than IoGetDmaAdapter gave");
  }
  bool twice;
  {
    base::Guard guard(lock_);
    twice = std::find(queued_.begin(), queued_.end(), &device) != queued_.end();
    queued_.push_back(&device);
  }
  if (twice) {
    wrong(Violation::DmaChannelTwice,
          "AllocateAdapterChannel was called for a device object whose AdapterControl routine has not returned yet");
  }
  Packet packet{&device, device.CurrentIrp, count, routine, context};
  wait({count, true, machine_.self().scope, [this, packet] {
          begin_packet(packet);
          return true;
        }});
  return {};
}

void DmaAdapter::begin_packet(const Packet& packet) {
  auto registers = std::make_unique<MapRegisters>();
  registers->count = packet.count;
  registers->tracked.kind = ResourceKind::MapRegisters;
  machine_.track(registers->tracked);
  // A value that a driver cannot dereference, and that no other adapter has.
  auto* base = reinterpret_cast<void*>(uintptr_t{registers->tracked.ordinal} * 16);
  {
    base::Guard guard(lock_);
    registers_[base] = std::move(registers);
  }
  // As a number: a driver may return a value that is no enumerator.
  auto* routine = reinterpret_cast<ULONG (*)(PDEVICE_OBJECT, PIRP, PVOID, PVOID)>(packet.routine);
  ULONG action =
      call_driver(machine_, "AdapterControl", nullptr, routine, packet.device, packet.irp, base, packet.context);
  end_packet(packet, base, action);
}

void DmaAdapter::end_packet(const Packet& packet, void* base, ULONG action) {
  bool keeps_registers = action == DeallocateObjectKeepRegisters || action == KeepObject;
  {
    base::Guard guard(lock_);
    queued_.erase(std::find(queued_.begin(), queued_.end(), packet.device));
    channel_taken_ = action == KeepObject;
    channel_base_ = action == KeepObject ? base : nullptr;
  }
  if (action != DeallocateObject && action != DeallocateObjectKeepRegisters) {
    wrong(Violation::DmaControlResult, fmt::format("an AdapterControl routine of a bus-master device returned {}",
                                                   action == KeepObject ? "KeepObject" : "what is no action at all"));
  }
  if (keeps_registers) return;
  if (auto registers = take_registers(base)) release(std::move(registers));
}

// --- Transfers ---

size_t DmaAdapter::next_transfer(const Buffer& buffer, uint32_t pages) {
  if (!facts_.scatter_gather || pages == 1) return buffer.bytes;
  uint64_t neighbours = 1 + machine_.executor().choose(pages);
  uint64_t in_first = base::kPageBytes - (buffer.mdl->ByteOffset + buffer.offset) % base::kPageBytes;
  return std::min<size_t>(buffer.bytes, in_first + (neighbours - 1) * base::kPageBytes);
}

std::string DmaAdapter::add_transfer(void* base, const MapRegisters::Transfer& transfer) {
  base::Guard guard(lock_);
  auto at = registers_.find(base);
  if (at == registers_.end()) return "with a MapRegisterBase that the adapter has not given, or not any more";
  MapRegisters& registers = *at->second;
  uint32_t left = registers.count - registers.used;
  if (left < transfer.pages) {
    return fmt::format("for {} page(s), with {} of {} map register(s) left", transfer.pages, left, registers.count);
  }
  registers.used += transfer.pages;
  registers.transfers.push_back(transfer);
  return "";
}

uint64_t DmaAdapter::map_transfer(void* base, Buffer& buffer) {
  Buffer part = buffer;
  buffer.bytes = 0;
  auto all = pages(part, "MapTransfer");
  if (!all.ok()) return 0;
  part.bytes = next_transfer(part, all.take());
  std::vector<Iommu::Piece> pieces;
  auto mapping = map_bytes(part, true, 0, pieces);
  if (!mapping) return 0;
  uint32_t used = pages(part, "MapTransfer").take();
  std::string why = add_transfer(base, {*mapping, part.mdl, part.offset, used, part.write_to_device});
  if (!why.empty()) {
    iommu_.unmap(*mapping);
    wrong(Violation::DmaRegistersMismatch, fmt::format("MapTransfer was called {}", why));
    return 0;
  }
  buffer.bytes = part.bytes;
  return pieces.front().bus;
}

void DmaAdapter::flush(void* base, const Buffer& buffer) {
  std::vector<MapRegisters::Transfer> flushed;
  const char* why = nullptr;
  {
    base::Guard guard(lock_);
    auto at = registers_.find(base);
    if (at == registers_.end()) {
      why = "with a MapRegisterBase that the adapter has not given, or not any more";
    } else {
      auto& transfers = at->second->transfers;
      auto ended = std::stable_partition(transfers.begin(), transfers.end(), [&](const auto& transfer) {
        return transfer.mdl != buffer.mdl || transfer.offset - buffer.offset >= buffer.bytes;
      });
      flushed.assign(ended, transfers.end());
      transfers.erase(ended, transfers.end());
      for (const auto& transfer : flushed) at->second->used -= transfer.pages;
      if (flushed.empty()) why = "for bytes that MapTransfer has not mapped";
    }
  }
  for (const auto& transfer : flushed) {
    iommu_.unmap(transfer.mapping);
    if (transfer.write_to_device != buffer.write_to_device) why = "for the other direction than MapTransfer's";
  }
  if (why) wrong(Violation::DmaRegistersMismatch, fmt::format("FlushAdapterBuffers was called {}", why));
}

// --- The end of it ---

std::unique_ptr<DmaAdapter::MapRegisters> DmaAdapter::take_registers(void* base) {
  base::Guard guard(lock_);
  auto at = registers_.find(base);
  if (at == registers_.end()) return nullptr;
  auto registers = std::move(at->second);
  registers_.erase(at);
  return registers;
}

void DmaAdapter::release(std::unique_ptr<MapRegisters> registers) {
  for (const auto& transfer : registers->transfers) iommu_.unmap(transfer.mapping);
  machine_.untrack(registers->tracked);
  if (!registers->transfers.empty()) {
    wrong(Violation::DmaNotFlushed, "map registers were freed whose transfer FlushAdapterBuffers has not ended",
          registers->tracked.stack);
  }
  give_back(registers->count);
}

void DmaAdapter::free_registers(void* base, uint32_t count) {
  auto registers = take_registers(base);
  if (!registers) {
    wrong(Violation::DmaRegistersMismatch,
          "FreeMapRegisters was given a MapRegisterBase that the adapter has not given, or not any more");
    return;
  }
  if (count != registers->count) {
    wrong(Violation::DmaRegistersMismatch,
          fmt::format("FreeMapRegisters was called for {} map register(s), and AllocateAdapterChannel for {}", count,
                      registers->count),
          registers->tracked.stack);
  }
  release(std::move(registers));
}

void DmaAdapter::free_channel() {
  void* base;
  {
    base::Guard guard(lock_);
    base = std::exchange(channel_base_, nullptr);
    if (base) channel_taken_ = false;
  }
  if (!base) {
    wrong(Violation::DmaRegistersMismatch,
          "FreeAdapterChannel was called, and no AdapterControl routine has returned KeepObject");
    return;
  }
  if (auto registers = take_registers(base)) release(std::move(registers));
}

}  // namespace nt
