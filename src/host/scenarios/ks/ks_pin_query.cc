#include "host/scenarios/ks/ks_pin_query.h"

#include <cstring>

namespace host {
namespace {

template <typename T>
std::optional<T> fixed(const base::Result<std::vector<uint8_t>>& answer) {
  if (!answer.ok() || answer.value().size() < sizeof(T)) return std::nullopt;
  T value;
  memcpy(&value, answer.value().data(), sizeof(T));
  return value;
}

size_t aligned(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

}  // namespace

ULONG KsPinQuery::pins(ks::Program& program, HANDLE filter) {
  return fixed<ULONG>(program.get(filter, KSPROPSETID_Pin, KSPROPERTY_PIN_CTYPES)).value_or(0);
}

KsPinQuery KsPinQuery::ask(ks::Program& program, HANDLE filter, ULONG pin) {
  KsPinQuery query;
  query.pin = pin;
  auto get = [&](ULONG id) { return program.get_pin(filter, id, pin); };
  query.flow = fixed<KSPIN_DATAFLOW>(get(KSPROPERTY_PIN_DATAFLOW)).value_or(KSPIN_DATAFLOW_OUT);
  query.communication =
      fixed<KSPIN_COMMUNICATION>(get(KSPROPERTY_PIN_COMMUNICATION)).value_or(KSPIN_COMMUNICATION_NONE);
  query.instances = fixed<KSPIN_CINSTANCES>(get(KSPROPERTY_PIN_CINSTANCES)).value_or(KSPIN_CINSTANCES{});
  query.necessary = fixed<ULONG>(get(KSPROPERTY_PIN_NECESSARYINSTANCES)).value_or(0);
  query.category = fixed<GUID>(get(KSPROPERTY_PIN_CATEGORY));
  if (auto name = get(KSPROPERTY_PIN_NAME); name.ok()) {
    query.name.resize(name.value().size() / sizeof(char16_t));
    memcpy(query.name.data(), name.value().data(), query.name.size() * sizeof(char16_t));
    while (!query.name.empty() && query.name.back() == 0) query.name.pop_back();
  }
  auto ranges = get(KSPROPERTY_PIN_DATARANGES);
  if (auto list = fixed<KSMULTIPLE_ITEM>(ranges)) {
    query.range_count = list->Count;
    query.ranges = ranges.take();
  }
  return query;
}

const KSDATARANGE* KsPinQuery::range(size_t index) const {
  size_t at = sizeof(KSMULTIPLE_ITEM);
  for (size_t i = 0;; ++i) {
    if (at + sizeof(KSDATARANGE) > ranges.size()) return nullptr;
    const auto* found = reinterpret_cast<const KSDATARANGE*>(ranges.data() + at);
    if (found->FormatSize < sizeof(KSDATARANGE) || at + found->FormatSize > ranges.size()) return nullptr;
    if (i == index) return found;
    at += aligned(found->FormatSize);
  }
}

bool waits_for_trigger(const KsPinQuery& query) {
  return query.category == PINNAME_VIDEO_STILL || query.category == PINNAME_IMAGE;
}

std::optional<std::vector<uint8_t>> choose_format(ks::Program& program, HANDLE filter, const KsPinQuery& query) {
  for (size_t i = 0; i < query.range_count; ++i) {
    const KSDATARANGE* range = query.range(i);
    if (!range) break;
    auto format = program.intersect(filter, query.pin, *range);
    if (format.ok() && format.value().size() >= sizeof(KSDATAFORMAT)) return format.take();
  }
  return std::nullopt;
}

std::optional<std::vector<uint8_t>> choose_format(ks::Program& program, HANDLE filter, const KsPinQuery& query,
                                                  const FormatRequest& request) {
  for (size_t i = 0; i < query.range_count; ++i) {
    const KSDATARANGE* range = query.range(i);
    std::vector<uint8_t> narrowed = range ? narrow(*range, request) : std::vector<uint8_t>{};
    if (narrowed.empty()) continue;
    // As a program does that edits one of the formats it was offered; a driver may only know its own ranges.
    auto format = program.intersect(filter, query.pin, *range);
    if (!format.ok()) {
      format = program.intersect(filter, query.pin, *reinterpret_cast<const KSDATARANGE*>(narrowed.data()));
    }
    if (!format.ok() || format.value().size() < sizeof(KSDATAFORMAT)) continue;
    std::vector<uint8_t> chosen = format.take();
    apply_request(request, chosen);
    return chosen;
  }
  return std::nullopt;
}

size_t frame_bytes(const KSDATAFORMAT& format, size_t otherwise) {
  if (format.Specifier == KSDATAFORMAT_SPECIFIER_VIDEOINFO &&
      format.FormatSize >= sizeof(KS_DATAFORMAT_VIDEOINFOHEADER)) {
    const auto& video = reinterpret_cast<const KS_DATAFORMAT_VIDEOINFOHEADER&>(format);
    if (video.VideoInfoHeader.bmiHeader.biSizeImage) return video.VideoInfoHeader.bmiHeader.biSizeImage;
  }
  return format.SampleSize > 1 && format.SampleSize < (1u << 28) ? format.SampleSize : otherwise;
}

}  // namespace host
