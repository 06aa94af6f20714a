#include "host/scenarios/ks/ks_player.h"

#include <algorithm>
#include <cstring>

#include "host/scenarios/kmd/scenario_environment.h"

namespace host {
namespace {

constexpr size_t kUnknownFrame = 4096;
constexpr base::TimeNs kCancelPatience = 100 * kMillisecond;

const KSDATAFORMAT& format_of(const std::vector<uint8_t>& bytes) {
  return *reinterpret_cast<const KSDATAFORMAT*>(bytes.data());
}

}  // namespace

const std::vector<HANDLE>& KsPlayer::open_filters() {
  ks::Device* device = environment_.driver().slot().device();
  for (size_t i = 0; device && i < device->factories().size(); ++i) {
    auto filter = program_.open_filter(*device, i);
    if (filter.ok()) filters_.push_back(filter.take());
    expect(filter.ok());
  }
  return filters_;
}

std::vector<KsPinQuery> KsPlayer::pins(HANDLE filter) {
  std::vector<KsPinQuery> all;
  ULONG count = KsPinQuery::pins(program_, filter);
  for (ULONG i = 0; i < count; ++i) all.push_back(KsPinQuery::ask(program_, filter, i));
  return all;
}

KsPlayedPin* KsPlayer::open(HANDLE filter, const KsPinQuery& query, HANDLE to) {
  auto format = choose_format(program_, filter, query);
  if (!expect(format.has_value())) return nullptr;
  return open_with(filter, query, *format, to);
}

KsPlayedPin* KsPlayer::open_with(HANDLE filter, const KsPinQuery& query, const std::vector<uint8_t>& format,
                                 HANDLE to) {
  auto pin = std::make_unique<KsPlayedPin>();
  pin->query = query;
  pin->filter = filter;
  pin->format = format;
  auto opened = program_.open_pin(filter, ks::standard_connect(query.pin, to), format_of(pin->format));
  if (!opened.ok()) return nullptr;  // others may have all the instances
  pin->handle = opened.take();
  pin->bytes = frame_bytes(format_of(pin->format), kUnknownFrame);
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

void KsPlayer::send(KsPlayedPin& pin, size_t count) {
  ULONG wanted = sizeof(KSSTREAM_HEADER);
  if (auto size = program_.get(pin.handle, KSPROPSETID_StreamInterface, KSPROPERTY_STREAMINTERFACE_HEADERSIZE);
      size.ok() && size.value().size() >= sizeof(ULONG)) {
    memcpy(&wanted, size.value().data(), sizeof(ULONG));
  }
  size_t header =
      environment_.choose(8) == 0 ? sizeof(KSSTREAM_HEADER) : std::max<size_t>(wanted, sizeof(KSSTREAM_HEADER));
  for (size_t i = 0; i < count; ++i) {
    pin.frames.push_back(std::make_unique<ks::ProgramFrame>(program_, pin.bytes, header));
    ks::ProgramFrame& frame = *pin.frames.back();
    if (pin.output()) {
      frame.read(pin.handle);
      continue;
    }
    memset(frame.buffer().data(), static_cast<int>(next_byte_++), frame.buffer().size());
    frame.header().DataUsed = static_cast<ULONG>(frame.buffer().size());
    frame.write(pin.handle);
  }
}

bool KsPlayer::receive(KsPlayedPin& pin, base::TimeNs patience, bool again) {
  if (pin.frames.empty()) return false;
  std::unique_ptr<ks::ProgramFrame> frame = std::move(pin.frames.front());
  pin.frames.erase(pin.frames.begin());
  base::TimeNs until = environment_.machine().executor().now() + patience;
  bool came = frame->wait(until) != STATUS_TIMEOUT;
  bool good = came && NT_SUCCESS(frame->status().Status);
  if (came && again && good) {
    frame->renew();
    if (!pin.output()) frame->header().DataUsed = static_cast<ULONG>(frame->buffer().size());
    pin.output() ? frame->read(pin.handle) : frame->write(pin.handle);
  }
  if (frame->pending() || again) pin.frames.push_back(std::move(frame));
  return good;
}

void KsPlayer::call_back(KsPlayedPin& pin) {
  for (auto& frame : pin.frames) {
    if (frame->pending()) frame->cancel();
  }
  base::TimeNs until = environment_.machine().executor().now() + kCancelPatience;
  for (auto& frame : pin.frames) frame->wait(until);
  std::erase_if(pin.frames, [](const auto& frame) { return !frame->pending(); });
}

void KsPlayer::take_back(KsPlayedPin& pin) {
  for (auto& frame : pin.frames) {
    if (frame->pending()) frame->cancel();
  }
  if (!NT_SUCCESS(go(pin, KSSTATE_STOP))) return;  // its close brings them back
  for (auto& frame : pin.frames) frame->wait();
  pin.frames.clear();
}

NTSTATUS KsPlayer::go(KsPlayedPin& pin, KSSTATE to) {
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
  if (pin.clock) program_.close(pin.clock);
  program_.close(pin.handle);
  forget(pin);
}

void KsPlayer::forget(KsPlayedPin& pin) {
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
}

}  // namespace host
