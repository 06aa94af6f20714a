#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/ref.h"
#include "dxgk/paging/paging_builder.h"
#include "dxgk/sync/sync_object.h"
#include "vidsch/packet.h"
#include "vidsch/sync_object.h"

namespace dxgk {

class Context;
class DmaBuffer;

// Wakes the queue of a context that stopped at a wait.
class QueueWaiter;

// One entry of a context's queue: what the driver is told when its turn comes. Made by the calling thread, the
// scheduler's from then on; used again after it has retired.
struct Submission final : vidsch::Packet {
  using vidsch::Packet::Packet;

  Context* context = nullptr;  // null: paging
  uint64_t work = 0;           // on the context's timeline
  bool null_rendering = false;
  bool present = false;  // made by DxgkDdiPresent

  // Commands at a GPU virtual address.
  D3DGPU_VIRTUAL_ADDRESS commands = 0;
  uint32_t bytes = 0;
  // What the driver is shown of the client's private data: a block of the machine's, as large as the driver asked for.
  void* private_data = nullptr;
  uint32_t private_bytes = 0;
  uint32_t client_private_bytes = 0;

  // Commands in a DMA buffer of the kernel's: their addresses are patched, or it is a present at `commands`.
  std::unique_ptr<DmaBuffer> dma;

  // A part of a paging buffer.
  std::optional<PagingBuilder::Submission> paging;
  std::atomic<uint32_t>* paging_left = nullptr;  // counts down when it has retired

  // Signal, Wait.
  std::vector<FenceValue> points;
  bool any = false;                                 // Wait: one of them will do
  vidsch::Rewind rewind = vidsch::Rewind::Refused;  // Signal
  std::optional<base::Ref<QueueWaiter>> waiter;
  std::optional<base::Ref<vidsch::Wakeable>> event;  // Event: is told when the packet's turn comes
};

}  // namespace dxgk
