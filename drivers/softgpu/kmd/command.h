// What a packet of a client does with its addresses: what DxgkDdiRender has to know to let it pass.
#pragma once

#include "config.h"
#include "softgpu_cmd.h"

namespace softgpu {

inline constexpr UINT kMaxOperands = 5;

struct Operand {
  UINT offset;  // of the address, in the packet
  UINT64 bytes;
  bool written;
};

struct Command {
  UINT bytes;  // of the packet
  UINT operand_count;
  Operand operands[kMaxOperands];  // in the order of their offsets
};

// Reads one packet. STATUS_PRIVILEGED_INSTRUCTION and STATUS_ILLEGAL_INSTRUCTION are what clients must not say.
NTSTATUS read_command(const UCHAR* packet, UINT room, Command& command);

}  // namespace softgpu
