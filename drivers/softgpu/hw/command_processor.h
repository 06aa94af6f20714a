#pragma once

#include <cstdint>
#include <memory>

#include "softgpu/hw/context_state.h"
#include "softgpu/hw/fault.h"
#include "softgpu/hw/memory.h"
#include "softgpu/hw/mmu.h"
#include "softgpu/hw/packet.h"
#include "softgpu/hw/renderer.h"

namespace softgpu {

// Runs the packets that work on memory. Those that steer an engine (INDIRECT, END, FENCE, WAIT) are the engine's own.
// Owned by the device, used by its engines in turn; keeps nothing from one packet to the next.
class CommandProcessor {
 public:
  CommandProcessor(Memory& memory, Mmu& mmu)
      : memory_(memory), mmu_(mmu), renderer_(std::make_unique<Renderer>(memory)) {}

  // The packet is well formed and allowed. `at` is the time at which it ends; `state` is the engine's.
  [[nodiscard]] Outcome run(const Packet& packet, const View& view, uint64_t at, ContextState& state);

  // Whether what a WAIT waits for has come.
  [[nodiscard]] Outcome satisfied(const Packet& wait, const View& view, bool* yes);

 private:
  [[nodiscard]] Outcome fill(const SOFTGPU_FILL& fill, const View& view);
  [[nodiscard]] Outcome copy(uint64_t source, uint64_t destination, uint64_t bytes, const View& view);
  [[nodiscard]] Outcome copy_pages(const Packet& packet, const View& view);
  [[nodiscard]] Outcome signal(const Packet& packet, const View& view);
  [[nodiscard]] Outcome write_ptes(const Packet& packet, const View& view);
  [[nodiscard]] Outcome run_on_pixels(const Packet& packet, const View& view);
  [[nodiscard]] Outcome run_on_state(const Packet& packet, const View& view, ContextState& state);
  void flush_tlb(const SOFTGPU_TLB_FLUSH& flush);

  Memory& memory_;
  Mmu& mmu_;
  const std::unique_ptr<Renderer> renderer_;  // hundreds of kilobytes
};

}  // namespace softgpu
