#pragma once

#include <optional>

#include "host/scenarios/ks/ks_player.h"

namespace host {

// Two pins that could be connected in the kernel: data leaves at the source and enters at the sink.
struct KsPinPair {
  HANDLE source_filter, sink_filter;
  KsPinQuery source, sink;
};

// A kernel connection as a graph builder makes it: the sink is opened, then the source with the sink's handle; an
// allocator is chosen and assigned; both are taken through the states. Owned by the scenario; one thread at a time.
class KsConnection {
 public:
  KsConnection(KsPlayer& player, const KsPinPair& pair) : player_(player), pair_(pair) {}

  // Every pair of the player's open filters whose formats could agree.
  static std::vector<KsPinPair> find(KsPlayer& player);

  enum class Allocator : uint8_t { None, Sources, Sinks };
  // Both pins, and those that their filters need besides.
  bool open();
  // Creates an allocator on a pin and assigns it to the source.
  bool choose_allocator(Allocator whose);
  NTSTATUS go(KSSTATE to);
  // The pins that the filters need besides are fed with frames, and sent those again that are back.
  void feed_needed(size_t count);
  void renew_needed();
  // How many frames these have filled or taken.
  uint64_t needed_frames() const;
  // Closes the handles in an order that the seed chooses.
  void close_in_any_order();

  KsPlayedPin* source() { return source_; }
  KsPlayedPin* sink() { return sink_; }
  HANDLE allocator() const { return allocator_; }
  KSALLOCATOR_FRAMING framing() const { return framing_; }

 private:
  KsPlayer& player_;
  KsPinPair pair_;
  KsPlayedPin* source_ = nullptr;
  KsPlayedPin* sink_ = nullptr;
  HANDLE allocator_ = nullptr;
  KSALLOCATOR_FRAMING framing_{};
};

}  // namespace host
