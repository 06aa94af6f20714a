#include "softgpu/hw/packet.h"

#include <algorithm>

#include "softgpu/proto/softgpu_draw_check.h"

namespace softgpu {
namespace {

// What is fixed about each kind of packet.
struct Kind {
  uint8_t opcode;
  uint8_t flags;         // those it knows
  uint16_t fixed_bytes;  // of its structure
  bool longer;           // may be followed by more
  bool argument;         // uses header.argument
  bool privileged;
};

constexpr uint8_t kHeader = sizeof(SOFTGPU_HEADER);

constexpr Kind kKinds[] = {
    {SOFTGPU_CMD_NOP, 0xFF, kHeader, true, true, false},
    {SOFTGPU_CMD_END, 0, kHeader, false, false, false},
    {SOFTGPU_CMD_INDIRECT, SOFTGPU_FLAG_UNPRIVILEGED, sizeof(SOFTGPU_INDIRECT), false, true, false},
    {SOFTGPU_CMD_FENCE, SOFTGPU_FLAG_INTERRUPT, sizeof(SOFTGPU_FENCE), false, false, true},
    {SOFTGPU_CMD_SIGNAL, SOFTGPU_FLAG_INTERRUPT | SOFTGPU_FLAG_32BIT, sizeof(SOFTGPU_SIGNAL), false, false, false},
    {SOFTGPU_CMD_WAIT, SOFTGPU_FLAG_EQUAL | SOFTGPU_FLAG_32BIT, sizeof(SOFTGPU_WAIT), false, false, false},
    {SOFTGPU_CMD_TIMESTAMP, 0, sizeof(SOFTGPU_TIMESTAMP), false, false, false},
    {SOFTGPU_CMD_FILL, 0, sizeof(SOFTGPU_FILL), false, true, false},
    {SOFTGPU_CMD_COPY, 0, sizeof(SOFTGPU_COPY), false, false, false},
    {SOFTGPU_CMD_COPY_PAGES, SOFTGPU_FLAG_TO_PAGES, sizeof(SOFTGPU_COPY_PAGES), true, true, false},
    {SOFTGPU_CMD_KERNEL, 0, sizeof(SOFTGPU_KERNEL), false, true, false},
    {SOFTGPU_CMD_DRAW, 0, sizeof(SOFTGPU_DRAW), false, true, false},
    {SOFTGPU_CMD_CLEAR_RECT, 0, sizeof(SOFTGPU_CLEAR_RECT), false, true, false},
    {SOFTGPU_CMD_COPY_RECT, 0, sizeof(SOFTGPU_COPY_RECT), false, false, false},
    {SOFTGPU_CMD_STRETCH_RECT, 0, sizeof(SOFTGPU_STRETCH_RECT), false, false, false},
    {SOFTGPU_CMD_WRITE_PTES, SOFTGPU_FLAG_REPEAT, sizeof(SOFTGPU_WRITE_PTES), true, true, true},
    {SOFTGPU_CMD_TLB_FLUSH, 0, sizeof(SOFTGPU_TLB_FLUSH), false, true, true},
    {SOFTGPU_CMD_SET_ROOT, 0, sizeof(SOFTGPU_SET_ROOT), false, true, true},
    {SOFTGPU_CMD_SET_STATE, 0, sizeof(SOFTGPU_SET_STATE), false, true, false},
    {SOFTGPU_CMD_ADD_STATE, 0, sizeof(SOFTGPU_ADD_STATE), false, true, false},
    {SOFTGPU_CMD_STORE_STATE, 0, sizeof(SOFTGPU_STORE_STATE), false, true, false},
    {SOFTGPU_CMD_SAVE_STATE, 0, sizeof(SOFTGPU_SAVE_STATE), false, false, true},
    {SOFTGPU_CMD_RESTORE_STATE, SOFTGPU_FLAG_CLEAR, sizeof(SOFTGPU_RESTORE_STATE), false, true, true},
};

const Kind* kind_of(uint8_t opcode) {
  for (const Kind& kind : kKinds) {
    if (kind.opcode == opcode) return &kind;
  }
  return nullptr;
}

bool indirect_is_right(const SOFTGPU_INDIRECT& indirect) {
  return indirect.header.argument < SOFTGPU_VMIDS && indirect.bytes % 8 == 0 &&
         indirect.bytes <= SOFTGPU_INDIRECT_MAX_BYTES;
}

bool kernel_is_right(const SOFTGPU_KERNEL& kernel) {
  if (kernel.header.argument >= SOFTGPU_KERNELS || kernel.count > SOFTGPU_KERNEL_MAX_COUNT) return false;
  if (kernel.header.argument == SOFTGPU_KERNEL_ADD_STATE) return kernel.scalar < SOFTGPU_CONTEXT_REGISTERS;
  return kernel.header.argument != SOFTGPU_KERNEL_ITERATE ||
         uint64_t{kernel.count} * kernel.scalar <= SOFTGPU_KERNEL_MAX_ROUNDS;
}

bool restore_is_right(const SOFTGPU_RESTORE_STATE& restore) {
  if (restore.header.flags & SOFTGPU_FLAG_CLEAR)
    return restore.header.argument == 0 && restore.context == 0 && restore.address == 0;
  return restore.header.argument < SOFTGPU_VMIDS && restore.context != 0;
}

uint64_t pages_needed(const SOFTGPU_COPY_PAGES& copy) {
  return copy.bytes == 0 ? 0 : (copy.header.argument + copy.bytes + SOFTGPU_PAGE_BYTES - 1) / SOFTGPU_PAGE_BYTES;
}

// Nanoseconds. No hardware was measured: only the proportions are meant to be plausible.
constexpr uint64_t kPacketNs = 100;
constexpr uint64_t kBytesPerNs = 16;
constexpr uint64_t kElementsPerNs = 4;
constexpr uint64_t kEntryNs = 2;
constexpr uint64_t kVertexNs = 2;
constexpr uint64_t kPixelsPerNs = 64;

uint64_t kernel_ns(const SOFTGPU_KERNEL& kernel) {
  uint64_t work = kernel.count;
  if (kernel.header.argument == SOFTGPU_KERNEL_ITERATE) work *= uint64_t{kernel.scalar} + 1;
  return work / kElementsPerNs;
}

// What is drawn is known only when it is: every pixel that could be counts, once.
uint64_t draw_ns(const SOFTGPU_DRAW& draw) {
  auto extent = [](int32_t from, int32_t to, uint32_t size) {
    return static_cast<uint64_t>(std::max<int64_t>(0, std::min<int64_t>(to, size) - std::max<int64_t>(from, 0)));
  };
  uint64_t pixels = extent(draw.scissor.left, draw.scissor.right, draw.target_surface.width) *
                    extent(draw.scissor.top, draw.scissor.bottom, draw.target_surface.height);
  return draw.count * kVertexNs + pixels / kPixelsPerNs;
}

uint64_t rect_ns(uint64_t width, uint64_t height, uint64_t pixel_bytes) {
  return width * height * pixel_bytes / kBytesPerNs;
}

}  // namespace

bool Packet::well_formed() const {
  const SOFTGPU_HEADER fixed = header();
  const Kind* kind = kind_of(fixed.opcode);
  if (!kind || (fixed.flags & ~kind->flags) != 0 || (fixed.argument != 0 && !kind->argument)) return false;
  if (bytes() < kind->fixed_bytes || (bytes() > kind->fixed_bytes && !kind->longer)) return false;
  return length_is_right() && operands_are_right();
}

bool Packet::length_is_right() const {
  switch (header().opcode) {
    case SOFTGPU_CMD_COPY_PAGES: {
      auto copy = as<SOFTGPU_COPY_PAGES>();
      if (copy.bytes > SOFTGPU_OPERAND_MAX_BYTES || copy.header.argument >= SOFTGPU_PAGE_BYTES) return false;
      return bytes() == sizeof(copy) + 8 * pages_needed(copy);
    }
    case SOFTGPU_CMD_WRITE_PTES: {
      uint64_t values = has(SOFTGPU_FLAG_REPEAT) ? 1 : header().argument;
      return bytes() == sizeof(SOFTGPU_WRITE_PTES) + 8 * values;
    }
    default:
      return true;
  }
}

bool Packet::operands_are_right() const {
  const uint32_t argument = header().argument;
  switch (header().opcode) {
    case SOFTGPU_CMD_INDIRECT:
      return indirect_is_right(as<SOFTGPU_INDIRECT>());
    case SOFTGPU_CMD_FILL:
      return as<SOFTGPU_FILL>().bytes <= SOFTGPU_OPERAND_MAX_BYTES;
    case SOFTGPU_CMD_COPY:
      return as<SOFTGPU_COPY>().bytes <= SOFTGPU_OPERAND_MAX_BYTES;
    case SOFTGPU_CMD_KERNEL:
      return kernel_is_right(as<SOFTGPU_KERNEL>());
    case SOFTGPU_CMD_DRAW:
    case SOFTGPU_CMD_CLEAR_RECT:
    case SOFTGPU_CMD_COPY_RECT:
    case SOFTGPU_CMD_STRETCH_RECT:
      return drawing_is_right();
    case SOFTGPU_CMD_WRITE_PTES:
      return argument <= SOFTGPU_OPERAND_MAX_BYTES / 8;
    case SOFTGPU_CMD_TLB_FLUSH:
      return argument < SOFTGPU_VMIDS || argument == SOFTGPU_TLB_ALL;
    case SOFTGPU_CMD_SET_ROOT:
      return argument < SOFTGPU_VMIDS && as<SOFTGPU_SET_ROOT>().entries <= SOFTGPU_TABLE_ENTRIES;
    case SOFTGPU_CMD_SET_STATE:
    case SOFTGPU_CMD_ADD_STATE:
    case SOFTGPU_CMD_STORE_STATE:
      return argument < SOFTGPU_CONTEXT_REGISTERS;
    case SOFTGPU_CMD_RESTORE_STATE:
      return restore_is_right(as<SOFTGPU_RESTORE_STATE>());
    default:
      return true;
  }
}

bool Packet::drawing_is_right() const {
  switch (header().opcode) {
    case SOFTGPU_CMD_DRAW: {
      auto draw = as<SOFTGPU_DRAW>();
      return softgpu_draw_is_right(&draw);
    }
    case SOFTGPU_CMD_CLEAR_RECT: {
      auto clear = as<SOFTGPU_CLEAR_RECT>();
      return softgpu_clear_rect_is_right(&clear);
    }
    case SOFTGPU_CMD_COPY_RECT: {
      auto copy = as<SOFTGPU_COPY_RECT>();
      return softgpu_copy_rect_is_right(&copy);
    }
    default: {
      auto stretch = as<SOFTGPU_STRETCH_RECT>();
      return softgpu_stretch_rect_is_right(&stretch);
    }
  }
}

bool Packet::needs_privilege() const {
  const Kind* kind = kind_of(header().opcode);
  return kind && kind->privileged;
}

uint64_t Packet::cost_ns() const {
  switch (header().opcode) {
    case SOFTGPU_CMD_FILL:
      return kPacketNs + as<SOFTGPU_FILL>().bytes / kBytesPerNs;
    case SOFTGPU_CMD_COPY:
      return kPacketNs + as<SOFTGPU_COPY>().bytes / kBytesPerNs;
    case SOFTGPU_CMD_COPY_PAGES:
      return kPacketNs + as<SOFTGPU_COPY_PAGES>().bytes / kBytesPerNs;
    case SOFTGPU_CMD_KERNEL:
      return kPacketNs + kernel_ns(as<SOFTGPU_KERNEL>());
    case SOFTGPU_CMD_DRAW:
      return kPacketNs + draw_ns(as<SOFTGPU_DRAW>());
    case SOFTGPU_CMD_CLEAR_RECT: {
      auto clear = as<SOFTGPU_CLEAR_RECT>();
      return kPacketNs + rect_ns(clear.width, clear.height, clear.pixel_bytes);
    }
    case SOFTGPU_CMD_COPY_RECT: {
      auto copy = as<SOFTGPU_COPY_RECT>();
      return kPacketNs + rect_ns(copy.width, copy.height, copy.pixel_bytes);
    }
    case SOFTGPU_CMD_STRETCH_RECT: {
      auto stretch = as<SOFTGPU_STRETCH_RECT>();
      return kPacketNs + rect_ns(stretch.destination_width, stretch.destination_height, 4);
    }
    case SOFTGPU_CMD_WRITE_PTES:
      return kPacketNs + kEntryNs * header().argument;
    default:
      return kPacketNs;
  }
}

}  // namespace softgpu
