// Writes packets into a DMA buffer as long as there is room.
#pragma once

#include "config.h"
#include "softgpu_cmd.h"

namespace softgpu {

class CommandWriter {
 public:
  CommandWriter(void* buffer, UINT room)
      : at_(static_cast<UCHAR*>(buffer)), room_(buffer != nullptr ? room & ~7u : 0) {}

  UCHAR* at() const { return at_; }
  UINT room() const { return room_; }

  // How many quadwords could follow a packet; 0 also if it would not fit itself.
  template <typename Packet>
  UINT room_behind() const {
    return room_ > sizeof(Packet) ? (room_ - static_cast<UINT>(sizeof(Packet))) / 8 : 0;
  }

  // With `quadwords` behind it, for the caller to fill in. Null, and nothing is written, if there is no room.
  template <typename Packet>
  Packet* add(UCHAR opcode, UCHAR flags, UINT argument, UINT quadwords = 0) {
    UINT bytes = static_cast<UINT>(sizeof(Packet)) + quadwords * 8;
    if (bytes > room_) return nullptr;
    Packet* packet = reinterpret_cast<Packet*>(at_);
    packet->header = softgpu_header(opcode, flags, bytes, argument);
    at_ += bytes;
    room_ -= bytes;
    return packet;
  }

  template <typename Packet>
  static UINT64* behind(Packet* packet) {
    return reinterpret_cast<UINT64*>(packet + 1);
  }

 private:
  UCHAR* at_;
  UINT room_;
};

}  // namespace softgpu
