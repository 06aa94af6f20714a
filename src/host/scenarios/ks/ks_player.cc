#include "host/scenarios/ks/ks_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/scenarios/kmd/scenario_environment.h"

namespace host {
namespace {

constexpr size_t kUnknownFrame = 4096;
constexpr size_t kLargestFrame = size_t{16} << 20;  // whatever a format says
constexpr base::TimeNs kPatience = 2 * kSecond, kGlance = 10 * kMillisecond;
constexpr base::TimeNs kCancelPatience = 100 * kMillisecond;

const KSDATAFORMAT& format_of(const std::vector<uint8_t>& bytes) {
  return *reinterpret_cast<const KSDATAFORMAT*>(bytes.data());
}

}  // namespace

const std::vector<HANDLE>& KsPlayer::open_filters() {
  ks::Device* device = environment_.driver().slot().device();
  for (size_t i = 0; device && i < device->factories().size(); ++i) {
    auto filter = program_.open_filter(*device, i);
    if (filter.ok()) {
      filters_.push_back(filter.take());
    } else {
      expect(false, fmt::format("filter {} can be opened; it refused with 0x{:08X}", i,
                                static_cast<uint32_t>(filter.failure().code())));
    }
  }
  if (device && device->factories().empty()) expect(false, "the driver offers a filter");
  return filters_;
}

std::vector<KsPinQuery> KsPlayer::pins(HANDLE filter) {
  std::vector<KsPinQuery> all;
  ULONG count = KsPinQuery::pins(program_, filter);
  for (ULONG i = 0; i < count; ++i) all.push_back(KsPinQuery::ask(program_, filter, i));
  std::erase_if(necessary_, [&](const auto& each) { return each.first == filter; });
  for (const KsPinQuery& query : all) {
    if (query.necessary > 0) necessary_.emplace_back(filter, query);
  }
  return all;
}

KsPlayedPin* KsPlayer::open_alone(HANDLE filter, const KsPinQuery& query, Refusal refusal, const std::string& called) {
  auto format = choose_format(program_, filter, query);
  bool told = refusal == Refusal::Told;
  if (told) expect(format.has_value(), called + " agrees to a format of its data ranges");
  if (!format) return nullptr;
  KsPlayedPin* pin = open_with(filter, query, *format, nullptr);
  if (told && query.instances.CurrentCount < query.instances.PossibleCount) {
    expect(pin != nullptr, fmt::format("{} can be opened with the format that it agreed to; it refused with 0x{:08X}",
                                       called, static_cast<uint32_t>(refusal_)));
  }
  return pin;
}

KsPlayedPin* KsPlayer::open_with(HANDLE filter, const KsPinQuery& query, const std::vector<uint8_t>& format,
                                 HANDLE to) {
  auto pin = std::make_unique<KsPlayedPin>();
  pin->query = query;
  pin->filter = filter;
  use_format(*pin, format);
  auto opened = program_.open_pin(filter, ks::standard_connect(query.pin, to), format_of(pin->format));
  if (!opened.ok()) {
    refusal_ = opened.failure().code();
    return nullptr;
  }
  pin->handle = opened.take();
  use_clock(*pin);
  pins_.push_back(std::move(pin));
  return pins_.back().get();
}

// Few pins have a clock to offer; a driver must do without one.
void KsPlayer::use_clock(KsPlayedPin& pin) {
  if (!environment_.perhaps()) return;
  auto clock = program_.open_clock(pin.handle);
  if (!clock.ok()) return;
  pin.clock = clock.take();
  program_.assign_clock(pin.handle, pin.clock);
}

void KsPlayer::use_format(KsPlayedPin& pin, const std::vector<uint8_t>& format) {
  pin.format = format;
  pin.bytes = std::min(frame_bytes(format_of(format), kUnknownFrame), kLargestFrame);
}

size_t KsPlayer::header_bytes(const KsPlayedPin& pin) {
  ULONG wanted = 0;
  if (auto size = program_.get(pin.handle, KSPROPSETID_StreamInterface, KSPROPERTY_STREAMINTERFACE_HEADERSIZE);
      size.ok() && size.value().size() >= sizeof(ULONG)) {
    memcpy(&wanted, size.value().data(), sizeof(ULONG));
  }
  return std::max<size_t>(wanted, sizeof(KSSTREAM_HEADER));
}

ks::ProgramFrame& KsPlayer::make_frame(KsPlayedPin& pin, size_t bytes, size_t header_bytes) {
  ++pin.sent;
  pin.frames.push_back(std::make_unique<ks::ProgramFrame>(program_, bytes, header_bytes));
  return *pin.frames.back();
}

void KsPlayer::send_alone(KsPlayedPin& pin, size_t count) {
  size_t wanted = header_bytes(pin);
  size_t header = environment_.choose(8) == 0 ? sizeof(KSSTREAM_HEADER) : wanted;
  for (size_t i = 0; i < count; ++i) {
    ks::ProgramFrame& frame = make_frame(pin, pin.bytes, header);
    if (pin.output()) {
      frame.read(pin.handle);
      continue;
    }
    memset(frame.buffer().data(), static_cast<int>(next_byte_++), frame.buffer().size());
    frame.header().DataUsed = static_cast<ULONG>(frame.buffer().size());
    frame.write(pin.handle);
  }
}

void KsPlayer::send(KsPlayedPin& pin, size_t count) {
  send_alone(pin, count);
  feed_needed(pin, count);
}

void KsPlayer::send_again(KsPlayedPin& pin, ks::ProgramFrame& frame) {
  frame.renew();
  ++pin.sent;
  if (!pin.output()) frame.header().DataUsed = static_cast<ULONG>(frame.buffer().size());
  pin.output() ? frame.read(pin.handle) : frame.write(pin.handle);
}

bool KsPlayer::came_with_data(ks::ProgramFrame& frame) {
  return !frame.pending() && NT_SUCCESS(frame.status().Status) && frame.header().DataUsed != 0;
}

void KsPlayer::settle(KsPlayedPin& pin, ks::ProgramFrame& frame) {
  NTSTATUS status = frame.status().Status;
  if (!NT_SUCCESS(status) && !frame.cancelled()) pin.failed = status;
  pin.came += came_with_data(frame);
}

bool KsPlayer::receive(KsPlayedPin& pin, base::TimeNs patience, bool again) {
  base::Executor& executor = environment_.machine().executor();
  base::TimeNs until = executor.now() + patience;
  while (!pin.frames.empty()) {
    // The first that is back: a driver may keep one for as long as it has no other.
    auto back = std::find_if(pin.frames.begin(), pin.frames.end(), [](const auto& each) { return !each->pending(); });
    if (back == pin.frames.end()) {
      if (executor.now() >= until) return false;
      renew_needed(pin);
      pin.frames.front()->wait(std::min(until, executor.now() + kGlance));
      continue;
    }
    std::unique_ptr<ks::ProgramFrame> frame = std::move(*back);
    pin.frames.erase(back);
    settle(pin, *frame);
    bool good = NT_SUCCESS(frame->status().Status);
    if (!good && frame->cancelled()) continue;
    if (!again || !good) return good;
    send_again(pin, *frame);
    pin.frames.push_back(std::move(frame));
    return true;
  }
  return false;
}

bool KsPlayer::stream(KsPlayedPin& pin, uint32_t frames) {
  uint32_t before = pin.came;
  send(pin, 2 + environment_.choose(3));
  for (uint32_t i = 0; i < frames; ++i) {
    if (waits_for_trigger(pin.query)) {
      video_control(pin.filter, KSPROPERTY_VIDEOCONTROL_MODE, pin.query.pin, KS_VideoControlFlag_Trigger);
    }
    if (receive(pin, kPatience, true)) continue;
    tell_dry(pin);
    return false;
  }
  if (pin.came == before) tell_dry(pin);  // they came without any data
  return pin.came != before;
}

bool KsPlayer::video_control(HANDLE filter, ULONG id, ULONG stream, LONG mode) {
  bool answered = false;
  for (ULONG flags : {KSPROPERTY_TYPE_GET, KSPROPERTY_TYPE_SET}) {
    KSPROPERTY_VIDEOCONTROL_MODE_S request{};
    request.Property.Set = PROPSETID_VIDCAP_VIDEOCONTROL;
    request.Property.Id = id;
    request.Property.Flags = flags;
    request.StreamIndex = stream;
    request.Mode = mode;
    KSPROPERTY_VIDEOCONTROL_MODE_S data = request;
    answered |= NT_SUCCESS(program_.control(filter, IOCTL_KS_PROPERTY, &request, sizeof(request), &data, sizeof(data)));
  }
  return answered;
}

void KsPlayer::tell_dry(const KsPlayedPin& pin) {
  if (hardware_ == Hardware::MayGo || waits_for_trigger(pin.query)) return;
  const char* what = pin.output() ? "came from" : "was taken by";
  std::string why = pin.came == 0 ? fmt::format("no frame {} pin {} in {} requests", what, pin.query.pin, pin.sent)
                                  : fmt::format("no frame {} pin {} any more after {} of {} requests", what,
                                                pin.query.pin, pin.came, pin.sent);
  if (pin.failed) why += fmt::format("; one failed with 0x{:08X}", static_cast<uint32_t>(pin.failed));
  environment_.leave_incomplete(why);
}

bool KsPlayer::run(KsPlayedPin& pin) {
  NTSTATUS status = go(pin, KSSTATE_RUN);
  return expect(NT_SUCCESS(status), fmt::format("pin {} goes to KSSTATE_RUN; it refused with 0x{:08X}", pin.query.pin,
                                                static_cast<uint32_t>(status)));
}

void KsPlayer::cancel_all(KsPlayedPin& pin) {
  for (auto& frame : pin.frames) {
    if (frame->pending()) frame->cancel();
  }
  for (KsPlayedPin* each : pin.needed) cancel_all(*each);
}

void KsPlayer::settle_all(KsPlayedPin& pin, base::TimeNs until) {
  for (auto& frame : pin.frames) frame->wait(until);
  std::erase_if(pin.frames, [&](const auto& frame) {
    if (frame->pending()) return false;
    settle(pin, *frame);
    return true;
  });
  for (KsPlayedPin* each : pin.needed) settle_all(*each, until);
}

void KsPlayer::call_back(KsPlayedPin& pin) {
  cancel_all(pin);
  settle_all(pin, environment_.machine().executor().now() + kCancelPatience);
}

void KsPlayer::take_back(KsPlayedPin& pin) {
  cancel_all(pin);
  if (!NT_SUCCESS(go(pin, KSSTATE_STOP))) return;  // its close brings them back
  settle_all(pin, base::kForever);
}

NTSTATUS KsPlayer::go_alone(KsPlayedPin& pin, KSSTATE to) {
  auto now = program_.state(pin.handle);
  int at = now.ok() ? now.value() : KSSTATE_STOP;
  while (at != to) {
    at += at < to ? 1 : -1;
    NTSTATUS status = program_.set_state(pin.handle, static_cast<KSSTATE>(at));
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

void KsPlayer::close(KsPlayedPin& pin) {
  for (HANDLE handle : handles_of(pin)) program_.close(handle);
  forget(pin);
}

std::vector<HANDLE> KsPlayer::handles_of(const KsPlayedPin& pin) {
  std::vector<HANDLE> handles;
  if (pin.clock) handles.push_back(pin.clock);
  handles.push_back(pin.handle);
  for (const KsPlayedPin* each : pin.needed) {
    for (HANDLE handle : handles_of(*each)) handles.push_back(handle);
  }
  return handles;
}

void KsPlayer::forget(KsPlayedPin& pin) {
  for (KsPlayedPin* each : pin.needed) forget(*each);
  // The last handle's end has cancelled them.
  for (auto& frame : pin.frames) frame->wait();
  std::erase_if(pins_, [&](const auto& each) { return each.get() == &pin; });
}

void KsPlayer::close_in_any_order() {
  std::vector<HANDLE> handles = filters_;
  for (const auto& pin : pins_) {
    handles.push_back(pin->handle);
    if (pin->clock) handles.push_back(pin->clock);
  }
  while (!handles.empty()) {
    size_t next = environment_.choose(static_cast<uint32_t>(handles.size()));
    program_.close(handles[next]);
    handles.erase(handles.begin() + static_cast<ptrdiff_t>(next));
  }
  for (const auto& pin : pins_) {
    for (auto& frame : pin->frames) frame->wait();
  }
  pins_.clear();
  filters_.clear();
  necessary_.clear();
}

}  // namespace host
