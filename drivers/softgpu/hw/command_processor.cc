#include "softgpu/hw/command_processor.h"

#include <algorithm>
#include <array>

#include "softgpu/hw/kernels.h"
#include "softgpu/hw/rectangles.h"

namespace softgpu {
namespace {

using Buffer = std::array<uint8_t, SOFTGPU_PAGE_BYTES>;

}  // namespace

Outcome CommandProcessor::run(const Packet& packet, const View& view, uint64_t at, ContextState& state) {
  switch (packet.header().opcode) {
    case SOFTGPU_CMD_SIGNAL:
      return signal(packet, view);
    case SOFTGPU_CMD_TIMESTAMP:
      return memory_.store(view, packet.as<SOFTGPU_TIMESTAMP>().address, at);
    case SOFTGPU_CMD_FILL:
      return fill(packet.as<SOFTGPU_FILL>(), view);
    case SOFTGPU_CMD_COPY: {
      auto operands = packet.as<SOFTGPU_COPY>();
      return copy(operands.source, operands.destination, operands.bytes, view);
    }
    case SOFTGPU_CMD_COPY_PAGES:
      return copy_pages(packet, view);
    case SOFTGPU_CMD_KERNEL:
      return run_kernel(packet.as<SOFTGPU_KERNEL>(), view, memory_, state);
    case SOFTGPU_CMD_DRAW:
    case SOFTGPU_CMD_CLEAR_RECT:
    case SOFTGPU_CMD_COPY_RECT:
    case SOFTGPU_CMD_STRETCH_RECT:
      return run_on_pixels(packet, view);
    case SOFTGPU_CMD_WRITE_PTES:
      return write_ptes(packet, view);
    case SOFTGPU_CMD_TLB_FLUSH:
      flush_tlb(packet.as<SOFTGPU_TLB_FLUSH>());
      return {};
    case SOFTGPU_CMD_SET_ROOT: {
      auto root = packet.as<SOFTGPU_SET_ROOT>();
      mmu_.set_root(root.header.argument, {root.root, static_cast<uint32_t>(root.entries)});
      return {};
    }
    default:
      return run_on_state(packet, view, state);
  }
}

Outcome CommandProcessor::run_on_pixels(const Packet& packet, const View& view) {
  switch (packet.header().opcode) {
    case SOFTGPU_CMD_DRAW:
      return renderer_->run(packet.as<SOFTGPU_DRAW>(), view);
    case SOFTGPU_CMD_CLEAR_RECT:
      return clear_rect(packet.as<SOFTGPU_CLEAR_RECT>(), view, memory_);
    case SOFTGPU_CMD_COPY_RECT:
      return copy_rect(packet.as<SOFTGPU_COPY_RECT>(), view, memory_);
    default:
      return stretch_rect(packet.as<SOFTGPU_STRETCH_RECT>(), view, memory_);
  }
}

Outcome CommandProcessor::run_on_state(const Packet& packet, const View& view, ContextState& state) {
  const uint32_t index = packet.header().argument;
  switch (packet.header().opcode) {
    case SOFTGPU_CMD_SET_STATE:
      state.set(index, packet.as<SOFTGPU_SET_STATE>().value);
      return {};
    case SOFTGPU_CMD_ADD_STATE:
      state.set(index, state.get(index) + packet.as<SOFTGPU_ADD_STATE>().value);
      return {};
    case SOFTGPU_CMD_STORE_STATE:
      return memory_.store(view, packet.as<SOFTGPU_STORE_STATE>().address, state.get(index));
    case SOFTGPU_CMD_SAVE_STATE:
      return state.save_unless(packet.as<SOFTGPU_SAVE_STATE>().context, memory_);
    case SOFTGPU_CMD_RESTORE_STATE:
      return state.restore(packet.as<SOFTGPU_RESTORE_STATE>(), memory_);
    default:  // NOP
      return {};
  }
}

Outcome CommandProcessor::satisfied(const Packet& wait, const View& view, bool* yes) {
  auto operands = wait.as<SOFTGPU_WAIT>();
  uint64_t value = 0;
  if (wait.has(SOFTGPU_FLAG_32BIT)) {
    uint32_t narrow = 0;
    if (Outcome fault = memory_.load(view, operands.address, &narrow)) return fault;
    value = narrow;
    operands.value = static_cast<uint32_t>(operands.value);
  } else if (Outcome fault = memory_.load(view, operands.address, &value)) {
    return fault;
  }
  *yes = wait.has(SOFTGPU_FLAG_EQUAL) ? value == operands.value : value >= operands.value;
  return {};
}

Outcome CommandProcessor::signal(const Packet& packet, const View& view) {
  auto operands = packet.as<SOFTGPU_SIGNAL>();
  if (packet.has(SOFTGPU_FLAG_32BIT))
    return memory_.store(view, operands.address, static_cast<uint32_t>(operands.value));
  return memory_.store(view, operands.address, operands.value);
}

Outcome CommandProcessor::fill(const SOFTGPU_FILL& fill, const View& view) {
  Buffer buffer;  // a multiple of the pattern, so that every piece begins with its first byte
  for (size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<uint8_t>(fill.header.argument >> (i % 4 * 8));
  for (uint64_t done = 0; done < fill.bytes; done += buffer.size()) {
    uint64_t bytes = std::min<uint64_t>(buffer.size(), fill.bytes - done);
    if (Outcome fault = memory_.write(view, fill.destination + done, buffer.data(), bytes)) return fault;
  }
  return {};
}

Outcome CommandProcessor::copy(uint64_t source, uint64_t destination, uint64_t bytes, const View& view) {
  Buffer buffer;
  for (uint64_t done = 0; done < bytes; done += buffer.size()) {
    uint64_t piece = std::min<uint64_t>(buffer.size(), bytes - done);
    if (Outcome fault = memory_.read(view, source + done, buffer.data(), piece)) return fault;
    if (Outcome fault = memory_.write(view, destination + done, buffer.data(), piece)) return fault;
  }
  return {};
}

Outcome CommandProcessor::copy_pages(const Packet& packet, const View& view) {
  auto operands = packet.as<SOFTGPU_COPY_PAGES>();
  const uint64_t* page = packet.after<SOFTGPU_COPY_PAGES>();
  bool to_pages = packet.has(SOFTGPU_FLAG_TO_PAGES);
  uint64_t in_page = operands.header.argument;
  for (uint64_t done = 0; done < operands.bytes; ++page, in_page = 0) {
    if (*page % SOFTGPU_PAGE_BYTES != 0)
      return Fault{SOFTGPU_FAULT_ADDRESS, to_pages ? Access::Write : Access::Read, *page};
    uint64_t piece = std::min<uint64_t>(SOFTGPU_PAGE_BYTES - in_page, operands.bytes - done);
    uint64_t linear = operands.linear + done;
    Outcome fault = to_pages ? copy(linear, *page + in_page, piece, view) : copy(*page + in_page, linear, piece, view);
    if (fault) return fault;
    done += piece;
  }
  return {};
}

Outcome CommandProcessor::write_ptes(const Packet& packet, const View& view) {
  auto operands = packet.as<SOFTGPU_WRITE_PTES>();
  const uint64_t* values = packet.after<SOFTGPU_WRITE_PTES>();
  bool repeat = packet.has(SOFTGPU_FLAG_REPEAT);
  for (uint64_t i = 0; i < operands.header.argument; ++i) {
    if (Outcome fault = memory_.store(view, operands.address + 8 * i, values[repeat ? 0 : i])) return fault;
  }
  return {};
}

void CommandProcessor::flush_tlb(const SOFTGPU_TLB_FLUSH& flush) {
  if (flush.bytes == 0) return mmu_.tlb().flush(flush.header.argument);
  uint64_t first = flush.first >> SOFTGPU_PAGE_SHIFT;
  uint64_t last = (flush.first + flush.bytes - 1) >> SOFTGPU_PAGE_SHIFT;
  mmu_.tlb().flush(flush.header.argument, first, last - first + 1);
}

}  // namespace softgpu
