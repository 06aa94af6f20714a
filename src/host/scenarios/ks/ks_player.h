#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/scenarios/ks/ks_environment.h"
#include "host/scenarios/ks/ks_pin_query.h"

namespace host {

// A pin that a program has opened, and the frames it streams with. Owned by its player.
struct KsPlayedPin {
  KsPinQuery query;
  std::vector<uint8_t> format;
  HANDLE handle = nullptr;
  HANDLE filter = nullptr;
  HANDLE clock = nullptr;
  size_t bytes = 0;  // of a frame
  std::vector<std::unique_ptr<ks::ProgramFrame>> frames;

  bool output() const { return query.flow == KSPIN_DATAFLOW_OUT; }
};

// A program that streams with a driver that it does not know: it asks, chooses formats, sends frames, and accepts every
// answer. Used on one thread at a time.
class KsPlayer {
 public:
  // Hardware that may go takes with it what a program could expect.
  enum class Hardware : uint8_t { Stays, MayGo };

  KsPlayer(KsEnvironment& environment, const std::string& name, Hardware hardware = Hardware::Stays)
      : environment_(environment), hardware_(hardware), program_(environment.machine(), name) {}

  ks::Program& program() { return program_; }
  KsEnvironment& environment() { return environment_; }

  // Every filter of the driver, once each.
  const std::vector<HANDLE>& open_filters();
  const std::vector<HANDLE>& filters() const { return filters_; }
  // What each filter says of its pins. `sends`: pins that a program may stream with; else all.
  std::vector<KsPinQuery> pins(HANDLE filter);
  static bool takes_requests(const KsPinQuery& query) {
    return query.communication == KSPIN_COMMUNICATION_SINK || query.communication == KSPIN_COMMUNICATION_BOTH;
  }
  static bool makes_requests(const KsPinQuery& query) {
    return query.communication == KSPIN_COMMUNICATION_SOURCE || query.communication == KSPIN_COMMUNICATION_BOTH;
  }

  // Null when there is no format, or the driver refuses. `to`: a kernel connection to that sink. Sometimes the pin is
  // its own master clock, if it can be one.
  KsPlayedPin* open(HANDLE filter, const KsPinQuery& query, HANDLE to = nullptr);
  KsPlayedPin* open_with(HANDLE filter, const KsPinQuery& query, const std::vector<uint8_t>& format, HANDLE to);
  void close(KsPlayedPin& pin);
  // Its handles are closed already.
  void forget(KsPlayedPin& pin);
  // Closes everything in an order that the seed chooses.
  void close_in_any_order();

  // `count` requests; headers of any size that the pin asks for, or short ones.
  void send(KsPlayedPin& pin, size_t count);
  // Waits for one frame, at most that long, and sends it again if `again`. False when none came back with data.
  bool receive(KsPlayedPin& pin, base::TimeNs patience, bool again);
  // Cancels what is under way, and waits a while: a frame that the driver has locked cannot be cancelled, "for any
  // length of time" (stream/stream-pointers-and-irp-cancellation), and stays under way.
  void call_back(KsPlayedPin& pin);
  // Stops the pin: no frame is under way afterwards.
  void take_back(KsPlayedPin& pin);
  // One step after the other; the first refusal ends it.
  NTSTATUS go(KsPlayedPin& pin, KSSTATE to);

 private:
  void use_clock(KsPlayedPin& pin);

  bool expect(bool expectation) {
    return hardware_ == Hardware::MayGo ? expectation : environment_.expect(expectation);
  }

  KsEnvironment& environment_;
  const Hardware hardware_;
  ks::Program program_;
  std::vector<HANDLE> filters_;
  std::vector<std::unique_ptr<KsPlayedPin>> pins_;
  ULONG next_byte_ = 0;
};

}  // namespace host
