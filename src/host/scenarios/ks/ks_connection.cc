#include "host/scenarios/ks/ks_connection.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ks/pin/data_range.h"

namespace host {
namespace {

bool could_agree(const KsPinQuery& source, const KsPinQuery& sink) {
  for (size_t i = 0; i < source.range_count; ++i) {
    for (size_t k = 0; k < sink.range_count; ++k) {
      const KSDATARANGE *a = source.range(i), *b = sink.range(k);
      if (a && b && ks::matches(*a, *b)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<KsPinPair> KsConnection::find(KsPlayer& player) {
  std::vector<std::pair<HANDLE, KsPinQuery>> sources, sinks;
  for (HANDLE filter : player.filters()) {
    for (KsPinQuery& query : player.pins(filter)) {
      if (query.flow == KSPIN_DATAFLOW_OUT && KsPlayer::makes_requests(query)) sources.emplace_back(filter, query);
      if (query.flow == KSPIN_DATAFLOW_IN && KsPlayer::takes_requests(query)) sinks.emplace_back(filter, query);
    }
  }
  std::vector<KsPinPair> pairs;
  for (const auto& [source_filter, source] : sources) {
    for (const auto& [sink_filter, sink] : sinks) {
      if (could_agree(source, sink)) pairs.push_back({source_filter, sink_filter, source, sink});
    }
  }
  return pairs;
}

// The source's format is the connection's.
bool KsConnection::open() {
  auto format = choose_format(player_.program(), pair_.source_filter, pair_.source);
  if (!format) return false;
  sink_ = player_.open_with(pair_.sink_filter, pair_.sink, *format, nullptr);
  if (!sink_) return false;
  source_ = player_.open_with(pair_.source_filter, pair_.source, *format, sink_->handle);
  if (source_ && player_.open_needed(*source_) && player_.open_needed(*sink_)) return true;
  if (source_) player_.close(*std::exchange(source_, nullptr));
  player_.close(*std::exchange(sink_, nullptr));
  return false;
}

bool KsConnection::choose_allocator(Allocator whose) {
  if (whose == Allocator::None) return true;
  KsPlayedPin& pin = whose == Allocator::Sources ? *source_ : *sink_;
  framing_ = player_.program().propose_framing(pin.handle, source_->bytes);
  auto allocator = player_.program().open_allocator(pin.handle, framing_);
  if (!allocator.ok()) return false;
  allocator_ = allocator.take();
  return NT_SUCCESS(player_.program().assign_allocator(source_->handle, allocator_));
}

// Upward the sink goes first, so that it is ready for what the source sends; downward the source.
NTSTATUS KsConnection::go(KSSTATE to) {
  auto now = player_.program().state(source_->handle);
  bool up = !now.ok() || now.value() < to;
  for (KsPlayedPin* pin : {up ? sink_ : source_, up ? source_ : sink_}) {
    NTSTATUS status = player_.go(*pin, to);
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

void KsConnection::feed_needed(size_t count) {
  player_.feed_needed(*source_, count);
  player_.feed_needed(*sink_, count);
}

void KsConnection::renew_needed() {
  player_.renew_needed(*source_);
  player_.renew_needed(*sink_);
}

uint64_t KsConnection::needed_frames() const {
  return KsPlayer::needed_frames(*source_) + KsPlayer::needed_frames(*sink_);
}

void KsConnection::close_in_any_order() {
  std::vector<HANDLE> handles = {source_->handle, sink_->handle};
  if (allocator_) handles.push_back(allocator_);
  for (KsPlayedPin* pin : {source_, sink_}) {
    if (pin->clock) handles.push_back(pin->clock);
  }
  for (KsPlayedPin* pin : {source_, sink_}) {
    for (const KsPlayedPin* needed : pin->needed) {
      for (HANDLE handle : KsPlayer::handles_of(*needed)) handles.push_back(handle);
    }
  }
  while (!handles.empty()) {
    size_t next = player_.environment().choose(static_cast<uint32_t>(handles.size()));
    player_.program().close(handles[next]);
    handles.erase(handles.begin() + static_cast<ptrdiff_t>(next));
  }
  player_.forget(*source_);
  player_.forget(*sink_);
}

}  // namespace host
