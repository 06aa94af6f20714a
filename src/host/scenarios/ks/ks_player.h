#pragma once

#include <memory>
#include <string>
#include <utility>
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
  size_t bytes = 0;     // of a frame
  uint32_t sent = 0;    // requests
  uint32_t came = 0;    // of them, back with data, or taken
  NTSTATUS failed = 0;  // what the last one failed with that was not cancelled
  std::vector<std::unique_ptr<ks::ProgramFrame>> frames;
  // Pins that the filter needs besides (KSPIN_DESCRIPTOR_EX::InstancesNecessary): opened for this one, and taken
  // through its states, fed with frames and closed with it.
  std::vector<KsPlayedPin*> needed;

  bool output() const { return query.flow == KSPIN_DATAFLOW_OUT; }
};

// A program that streams with a driver that it does not know: it asks, chooses formats, sends frames, and accepts every
// answer. Where an answer leaves a scenario without what it is for, the outcome says so. Used on one thread at a time.
class KsPlayer {
 public:
  // Hardware that may go takes with it what a program could expect.
  enum class Hardware : uint8_t { Stays, MayGo };

  KsPlayer(KsEnvironment& environment, const std::string& name, Hardware hardware = Hardware::Stays)
      : environment_(environment), hardware_(hardware), program_(environment.machine(), name) {}

  ks::Program& program() { return program_; }
  KsEnvironment& environment() { return environment_; }

  // Every filter of the driver, once each. Without any there is nothing to play, and the outcome says so.
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

  // A driver may refuse a pin where others, opened before, may be all the instances there are, or where a format is
  // odd.
  enum class Refusal : uint8_t { Told, Allowed };
  // The pin, and those that the filter needs besides. Null when there is no format, or the driver refuses one of them.
  // Sometimes a pin is its own master clock, if it can be one.
  KsPlayedPin* open(HANDLE filter, const KsPinQuery& query, Refusal refusal = Refusal::Told);
  // The pin alone. `to`: a kernel connection to that sink.
  KsPlayedPin* open_with(HANDLE filter, const KsPinQuery& query, const std::vector<uint8_t>& format, HANDLE to);
  // Opens for it what its filter needs and does not have yet. False when the driver refuses one of them.
  bool open_needed(KsPlayedPin& pin, Refusal refusal = Refusal::Told);
  void close(KsPlayedPin& pin);
  // What close() closes.
  static std::vector<HANDLE> handles_of(const KsPlayedPin& pin);
  // Its handles are closed already.
  void forget(KsPlayedPin& pin);
  // Closes everything in an order that the seed chooses.
  void close_in_any_order();

  // The pin has this format now.
  static void use_format(KsPlayedPin& pin, const std::vector<uint8_t>& format);

  // How large a stream header the pin asks for, the extension counted.
  size_t header_bytes(const KsPlayedPin& pin);
  // A frame of the pin's, not sent yet.
  ks::ProgramFrame& make_frame(KsPlayedPin& pin, size_t bytes, size_t header_bytes);
  // `count` requests, and as many for each pin that it needs; headers as the pin asks for, or short ones.
  void send(KsPlayedPin& pin, size_t count);
  // Those for the pins that it needs alone.
  void feed_needed(KsPlayedPin& pin, size_t count);
  // Sends the frames of the pins that it needs again, where they are back.
  void renew_needed(KsPlayedPin& pin);
  // How many frames these pins have filled or taken.
  static uint64_t needed_frames(const KsPlayedPin& pin);
  // Waits for one frame, at most that long, and sends it again if `again`. False when none came back in time, or it
  // failed. Frames that were cancelled are passed over.
  bool receive(KsPlayedPin& pin, base::TimeNs patience, bool again);
  // Frames go there and back for a while. A pin that does not keep up leaves the scenario incomplete.
  bool stream(KsPlayedPin& pin, uint32_t frames);
  // A property of PROPSETID_VIDCAP_VIDEOCONTROL is got, and set to that mode: KS_VideoControlFlag_Trigger takes a
  // picture. True when the filter answered one of the two.
  bool video_control(HANDLE filter, ULONG id, ULONG stream, LONG mode);
  // Cancels what is under way, and waits a while: a frame that the driver has locked cannot be cancelled, "for any
  // length of time" (stream/stream-pointers-and-irp-cancellation), and stays under way.
  void call_back(KsPlayedPin& pin);
  // Stops the pin: no frame is under way afterwards.
  void take_back(KsPlayedPin& pin);
  // One step after the other, with the pins that it needs: they go up before it, and down after it. The first refusal
  // ends it.
  NTSTATUS go(KsPlayedPin& pin, KSSTATE to);
  // The same where nothing that the driver declares would make it refuse.
  bool run(KsPlayedPin& pin);

  bool expect(bool fact, const std::string& words) {
    return hardware_ == Hardware::MayGo ? fact : environment_.expect(fact, words);
  }

 private:
  KsPlayedPin* open_alone(HANDLE filter, const KsPinQuery& query, Refusal refusal, const std::string& called);
  // What the filter needs of pins with that flow and does not have.
  bool open_missing(HANDLE filter, KSPIN_DATAFLOW flow, Refusal refusal, std::vector<KsPlayedPin*>& opened);
  void send_alone(KsPlayedPin& pin, size_t count);
  static void send_again(KsPlayedPin& pin, ks::ProgramFrame& frame);
  NTSTATUS go_alone(KsPlayedPin& pin, KSSTATE to);
  void use_clock(KsPlayedPin& pin);
  // It is back, and the driver has filled or taken it.
  static bool came_with_data(ks::ProgramFrame& frame);
  // A frame is back: counts what came of it.
  static void settle(KsPlayedPin& pin, ks::ProgramFrame& frame);
  // Of the pin and of those that it needs: cancels what is under way; waits, and takes what is back.
  static void cancel_all(KsPlayedPin& pin);
  static void settle_all(KsPlayedPin& pin, base::TimeNs until);
  void tell_dry(const KsPlayedPin& pin);

  KsEnvironment& environment_;
  const Hardware hardware_;
  ks::Program program_;
  std::vector<HANDLE> filters_;
  std::vector<std::unique_ptr<KsPlayedPin>> pins_;
  std::vector<std::pair<HANDLE, KsPinQuery>> necessary_;  // of the filters that were asked, with InstancesNecessary > 0
  ULONG next_byte_ = 0;
  NTSTATUS refusal_ = 0;  // of the last pin that was not opened
};

}  // namespace host
