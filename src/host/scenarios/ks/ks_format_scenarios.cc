// Video formats that are nearly those of a pin: a program edits one that the pin agreed to. A driver may refuse any of
// them; one that it accepts it must be able to stream with, whatever comes of the pictures.
#include <climits>
#include <cstring>

#include "host/scenarios/kmd/scenario_environment.h"
#include "host/scenarios/ks/ks_scenarios.h"
#include "host/scenarios/ks/ks_streaming.h"

namespace host {
namespace {

constexpr base::TimeNs kGlance = 100 * kMillisecond;  // an odd format may have an odd rate: no frame is expected

// The fields that are edited; both kinds of video headers have them.
struct VideoFields {
  LONGLONG* interval;  // AvgTimePerFrame
  KS_BITMAPINFOHEADER* bitmap;
};

template <typename Format, typename Header>
VideoFields fields_in(std::vector<uint8_t>& format, Header Format::*header) {
  if (format.size() < sizeof(Format)) return {};
  Header& video = reinterpret_cast<Format*>(format.data())->*header;
  return {&video.AvgTimePerFrame, &video.bmiHeader};
}

// Null pointers for a format of another kind.
VideoFields fields_of(std::vector<uint8_t>& format) {
  const GUID& specifier = reinterpret_cast<const KSDATAFORMAT*>(format.data())->Specifier;
  if (specifier == KSDATAFORMAT_SPECIFIER_VIDEOINFO) {
    return fields_in(format, &KS_DATAFORMAT_VIDEOINFOHEADER::VideoInfoHeader);
  }
  if (specifier == KSDATAFORMAT_SPECIFIER_VIDEOINFO2) {
    return fields_in(format, &KS_DATAFORMAT_VIDEOINFOHEADER2::VideoInfoHeader2);
  }
  return {};
}

// The picture's size is changed, and biSizeImage with it or not.
void resize(KS_BITMAPINFOHEADER& bitmap, LONG width, LONG height, bool fitting) {
  bitmap.biWidth = width;
  bitmap.biHeight = height;
  if (!fitting) return;
  uint64_t bits = uint64_t(std::abs(int64_t{width})) * uint64_t(std::abs(int64_t{height})) * bitmap.biBitCount;
  bitmap.biSizeImage = static_cast<DWORD>(bits / 8);
}

using Edit = void (*)(const VideoFields& video);
constexpr Edit kEdits[] = {
    [](const VideoFields& video) { video.bitmap->biSizeImage = 0; },
    [](const VideoFields& video) { video.bitmap->biSizeImage = 1; },
    [](const VideoFields& video) { video.bitmap->biSizeImage /= 2; },
    [](const VideoFields& video) { video.bitmap->biSizeImage += 1; },
    [](const VideoFields& video) { video.bitmap->biSizeImage *= 2; },
    [](const VideoFields& video) { video.bitmap->biSizeImage = UINT_MAX; },
    [](const VideoFields& video) { *video.interval = 0; },
    [](const VideoFields& video) { *video.interval = 1; },
    [](const VideoFields& video) { *video.interval = -1; },
    [](const VideoFields& video) { *video.interval *= 3; },
    [](const VideoFields& video) { *video.interval = LLONG_MAX; },
    [](const VideoFields& video) { resize(*video.bitmap, 0, video.bitmap->biHeight, false); },
    [](const VideoFields& video) { resize(*video.bitmap, 1, video.bitmap->biHeight, true); },
    [](const VideoFields& video) { resize(*video.bitmap, video.bitmap->biWidth - 1, video.bitmap->biHeight, true); },
    [](const VideoFields& video) { resize(*video.bitmap, video.bitmap->biWidth * 2, video.bitmap->biHeight, false); },
    [](const VideoFields& video) { resize(*video.bitmap, video.bitmap->biWidth * 2, video.bitmap->biHeight, true); },
    [](const VideoFields& video) { resize(*video.bitmap, -video.bitmap->biWidth, video.bitmap->biHeight, false); },
    [](const VideoFields& video) { resize(*video.bitmap, video.bitmap->biWidth, 0, false); },
    [](const VideoFields& video) { resize(*video.bitmap, video.bitmap->biWidth, -video.bitmap->biHeight, false); },
    [](const VideoFields& video) { resize(*video.bitmap, video.bitmap->biWidth, video.bitmap->biHeight * 2, false); },
    [](const VideoFields& video) { resize(*video.bitmap, video.bitmap->biWidth, video.bitmap->biHeight - 1, true); },
    [](const VideoFields& video) { resize(*video.bitmap, INT_MAX, INT_MAX, false); },
};

// RUN, PAUSE, RUN. Nothing is expected of the frames.
void stream_oddly(KsPlayer& player, KsPlayedPin& pin) {
  for (KSSTATE state : {KSSTATE_RUN, KSSTATE_PAUSE, KSSTATE_RUN}) {
    if (!NT_SUCCESS(player.go(pin, state))) break;
    player.send(pin, 2);
    if (state == KSSTATE_RUN) player.receive(pin, kGlance, true);
    if (state == KSSTATE_RUN) player.receive(pin, kGlance, true);
  }
  player.go(pin, KSSTATE_STOP);
}

void open_with_edit(KsPlayer& player, HANDLE filter, const KsPinQuery& query, const std::vector<uint8_t>& edited) {
  KsPlayedPin* pin = player.open_with(filter, query, edited, nullptr);
  if (!pin) return;  // a driver may refuse
  if (player.open_needed(*pin, KsPlayer::Refusal::Allowed)) stream_oddly(player, *pin);
  player.close(*pin);
}

// The pin has its own format first, and is given the other when it has been stopped again.
void change_to_edit(KsPlayer& player, HANDLE filter, const KsPinQuery& query, const std::vector<uint8_t>& edited) {
  KsPlayedPin* pin = player.open(filter, query);
  if (!pin) return;  // told
  NTSTATUS status = player.program().set(pin->handle, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_DATAFORMAT,
                                         edited.data(), static_cast<ULONG>(edited.size()));
  if (NT_SUCCESS(status)) {
    player.use_format(*pin, edited);
    stream_oddly(player, *pin);
  }
  player.close(*pin);
}

void odd_formats(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  KsPlayer player(environment, "editor");
  player.open_filters();
  size_t tried = 0;
  for (auto& [filter, query] : stream_pins(player)) {
    auto format = choose_format(player.program(), filter, query);
    if (!format || !fields_of(*format).bitmap) continue;  // counted below
    for (Edit edit : kEdits) {
      std::vector<uint8_t> edited = *format;
      edit(fields_of(edited));
      environment.perhaps() ? open_with_edit(player, filter, query, edited)
                            : change_to_edit(player, filter, query, edited);
      ++tried;
    }
  }
  if (tried == 0) environment.skip("no pin has a video format");
  player.close_in_any_order();
}

}  // namespace

std::vector<Scenario> ks_format_scenarios() {
  return {{"ks/odd-formats", "video formats with another size, rate or picture, streamed where they are accepted",
           &odd_formats, Scenario::Needs::Streaming}};
}

}  // namespace host
