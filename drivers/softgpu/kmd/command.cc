#include "command.h"

#include "softgpu_draw_check.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

void add(Command& command, UINT offset, UINT64 bytes, bool written) {
  command.operands[command.operand_count++] = {offset, bytes, written};
}

// The packet, if it has this size and no flags but those allowed.
template <typename Packet>
const Packet* as(const UCHAR* packet, const Command& command, UCHAR flags = 0) {
  const auto* typed = reinterpret_cast<const Packet*>(packet);
  return command.bytes == sizeof(Packet) && (typed->header.flags & ~flags) == 0 ? typed : nullptr;
}

// A quadword, or half of one.
template <typename Packet>
bool read_word(const UCHAR* packet, Command& command, UCHAR flags, bool written) {
  const auto* word = as<Packet>(packet, command, flags);
  if (word == nullptr) return false;
  add(command, FIELD_OFFSET(Packet, address), (word->header.flags & SOFTGPU_FLAG_32BIT) != 0 ? 4 : 8, written);
  return true;
}

bool read_fill(const UCHAR* packet, Command& command) {
  const auto* fill = as<SOFTGPU_FILL>(packet, command);
  if (fill == nullptr) return false;
  add(command, FIELD_OFFSET(SOFTGPU_FILL, destination), fill->bytes, true);
  return true;
}

bool read_copy(const UCHAR* packet, Command& command) {
  const auto* copy = as<SOFTGPU_COPY>(packet, command);
  if (copy == nullptr) return false;
  add(command, FIELD_OFFSET(SOFTGPU_COPY, source), copy->bytes, false);
  add(command, FIELD_OFFSET(SOFTGPU_COPY, destination), copy->bytes, true);
  return true;
}

bool read_kernel(const UCHAR* packet, Command& command) {
  const auto* kernel = as<SOFTGPU_KERNEL>(packet, command);
  if (kernel == nullptr || kernel->header.argument >= SOFTGPU_KERNELS) return false;
  UINT64 bytes = kernel->count * 4ull;
  if (kernel->header.argument == SOFTGPU_KERNEL_ADD_STATE && kernel->scalar >= SOFTGPU_CONTEXT_REGISTERS) return false;
  bool has_b = kernel->header.argument <= SOFTGPU_KERNEL_MAD;
  bool one_word = kernel->header.argument == SOFTGPU_KERNEL_CRC32;
  add(command, FIELD_OFFSET(SOFTGPU_KERNEL, a), bytes, false);
  if (has_b) add(command, FIELD_OFFSET(SOFTGPU_KERNEL, b), bytes, false);
  add(command, FIELD_OFFSET(SOFTGPU_KERNEL, destination), one_word ? 4 : bytes, true);
  return true;
}

// Only what the flags name has an address. The rest of what the hardware asks for is asked for here too: a packet that
// it refuses would stop its engine.
bool read_draw(const UCHAR* packet, Command& command) {
  const auto* draw = as<SOFTGPU_DRAW>(packet, command);
  if (draw == nullptr || !softgpu_draw_is_right(draw)) return false;
  if (softgpu_draw_uses(draw, SOFTGPU_DRAW_TARGET)) {
    add(command, FIELD_OFFSET(SOFTGPU_DRAW, target), softgpu_surface_bytes(&draw->target_surface), true);
  }
  if (softgpu_draw_uses(draw, SOFTGPU_DRAW_DEPTH)) {
    bool written = softgpu_draw_uses(draw, SOFTGPU_DRAW_DEPTH_WRITE);
    add(command, FIELD_OFFSET(SOFTGPU_DRAW, depth), softgpu_draw_depth_bytes(draw), written);
  }
  if (softgpu_draw_uses(draw, SOFTGPU_DRAW_TEXTURE)) {
    add(command, FIELD_OFFSET(SOFTGPU_DRAW, texture), softgpu_surface_bytes(&draw->texture_surface), false);
  }
  add(command, FIELD_OFFSET(SOFTGPU_DRAW, vertices), softgpu_draw_vertices_bytes(draw), false);
  if (softgpu_draw_uses(draw, SOFTGPU_DRAW_INDEXED)) {
    add(command, FIELD_OFFSET(SOFTGPU_DRAW, indices), softgpu_draw_indices_bytes(draw), false);
  }
  return true;
}

bool read_clear_rect(const UCHAR* packet, Command& command) {
  const auto* clear = as<SOFTGPU_CLEAR_RECT>(packet, command);
  if (clear == nullptr || !softgpu_clear_rect_is_right(clear)) return false;
  add(command, FIELD_OFFSET(SOFTGPU_CLEAR_RECT, destination), softgpu_clear_rect_bytes(clear), true);
  return true;
}

bool read_copy_rect(const UCHAR* packet, Command& command) {
  const auto* copy = as<SOFTGPU_COPY_RECT>(packet, command);
  if (copy == nullptr || !softgpu_copy_rect_is_right(copy)) return false;
  add(command, FIELD_OFFSET(SOFTGPU_COPY_RECT, source), softgpu_copy_rect_source_bytes(copy), false);
  add(command, FIELD_OFFSET(SOFTGPU_COPY_RECT, destination), softgpu_copy_rect_destination_bytes(copy), true);
  return true;
}

bool read_stretch_rect(const UCHAR* packet, Command& command) {
  const auto* stretch = as<SOFTGPU_STRETCH_RECT>(packet, command);
  if (stretch == nullptr || !softgpu_stretch_rect_is_right(stretch)) return false;
  add(command, FIELD_OFFSET(SOFTGPU_STRETCH_RECT, source), softgpu_stretch_rect_source_bytes(stretch), false);
  add(command, FIELD_OFFSET(SOFTGPU_STRETCH_RECT, destination), softgpu_stretch_rect_destination_bytes(stretch), true);
  return true;
}

// No memory is touched.
template <typename Packet>
bool read_register(const UCHAR* packet, const Command& command) {
  const auto* typed = as<Packet>(packet, command);
  return typed != nullptr && typed->header.argument < SOFTGPU_CONTEXT_REGISTERS;
}

bool read_operands(const UCHAR* packet, UCHAR opcode, Command& command) {
  switch (opcode) {
    case SOFTGPU_CMD_NOP:
      return true;
    case SOFTGPU_CMD_FILL:
      return read_fill(packet, command);
    case SOFTGPU_CMD_COPY:
      return read_copy(packet, command);
    case SOFTGPU_CMD_KERNEL:
      return read_kernel(packet, command);
    case SOFTGPU_CMD_DRAW:
      return read_draw(packet, command);
    case SOFTGPU_CMD_CLEAR_RECT:
      return read_clear_rect(packet, command);
    case SOFTGPU_CMD_COPY_RECT:
      return read_copy_rect(packet, command);
    case SOFTGPU_CMD_STRETCH_RECT:
      return read_stretch_rect(packet, command);
    case SOFTGPU_CMD_SIGNAL:
      return read_word<SOFTGPU_SIGNAL>(packet, command, SOFTGPU_FLAG_32BIT, true);
    case SOFTGPU_CMD_WAIT:
      return read_word<SOFTGPU_WAIT>(packet, command, SOFTGPU_FLAG_32BIT | SOFTGPU_FLAG_EQUAL, false);
    case SOFTGPU_CMD_TIMESTAMP:
      return read_word<SOFTGPU_TIMESTAMP>(packet, command, 0, true);
    case SOFTGPU_CMD_SET_STATE:
      return read_register<SOFTGPU_SET_STATE>(packet, command);
    case SOFTGPU_CMD_ADD_STATE:
      return read_register<SOFTGPU_ADD_STATE>(packet, command);
    case SOFTGPU_CMD_STORE_STATE:
      return read_register<SOFTGPU_STORE_STATE>(packet, command) &&
             read_word<SOFTGPU_STORE_STATE>(packet, command, 0, true);
    default:
      return false;
  }
}

// Those that lead elsewhere, or that take an address which no patch list describes.
bool privileged(UCHAR opcode) {
  switch (opcode) {
    case SOFTGPU_CMD_END:
    case SOFTGPU_CMD_INDIRECT:
    case SOFTGPU_CMD_FENCE:
    case SOFTGPU_CMD_COPY_PAGES:
    case SOFTGPU_CMD_WRITE_PTES:
    case SOFTGPU_CMD_TLB_FLUSH:
    case SOFTGPU_CMD_SET_ROOT:
    case SOFTGPU_CMD_SAVE_STATE:
    case SOFTGPU_CMD_RESTORE_STATE:
      return true;
    default:
      return false;
  }
}

}  // namespace

NTSTATUS read_command(const UCHAR* packet, UINT room, Command& command) {
  if (room < sizeof(SOFTGPU_HEADER)) return STATUS_ILLEGAL_INSTRUCTION;
  const auto& header = *reinterpret_cast<const SOFTGPU_HEADER*>(packet);
  if (privileged(header.opcode)) return STATUS_PRIVILEGED_INSTRUCTION;
  command.bytes = header.qwords * 8u;
  command.operand_count = 0;
  if (command.bytes == 0 || command.bytes > room) return STATUS_ILLEGAL_INSTRUCTION;
  return read_operands(packet, header.opcode, command) ? STATUS_SUCCESS : STATUS_ILLEGAL_INSTRUCTION;
}

}  // namespace softgpu
