#include "dxgk/paging/paging_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/align.h"
#include "dxgk/adapter/adapter.h"

namespace dxgk {
namespace {

// More passes than any correct driver needs: it does at least a page or an entry with each buffer.
uint64_t most_passes(const PagingOperation& operation) { return 64 + 4 * units_of(operation); }

}  // namespace

PagingBuilder::PagingBuilder(Adapter& adapter, Sink& sink, const Options& options)
    : adapter_(adapter), sink_(sink), options_(options) {}

void PagingBuilder::give(PagingBuffer& buffer) {
  CHECK(buffer.fresh());
  buffers_.push_back(&buffer);
}

base::Result<> PagingBuilder::add(const PagingOperation& operation) {
  CHECK(!buffers_.empty());
  return build(operation, true);
}

base::Result<> PagingBuilder::now(const PagingOperation& operation) { return build(operation, false); }

base::Result<> PagingBuilder::build(const PagingOperation& operation, bool in_buffer) {
  CHECK(adapter_.paging_mutex().locked());
  if (!adapter_.talks_to_driver()) return base::Failure(STATUS_DEVICE_REMOVED, "the driver is not spoken to any more");
  check_ours(operation);
  auto done = pass_until_done(operation, in_buffer);
  if (!done.ok()) {
    in_transfer_ = false;
    return done;
  }
  built(operation);
  return {};
}

base::Result<> PagingBuilder::pass_until_done(const PagingOperation& operation, bool in_buffer) {
  PagingCall call(adapter_, operation, options_.system_context);
  bool whole = false;  // the whole buffer: the limit is off
  for (uint64_t passes = 0; passes < most_passes(operation); ++passes) {
    PagingCall::Room nothing{nullptr, 0, 0, true};
    switch (TRY(call.make(in_buffer ? TRY(room(whole)) : nothing))) {
      case PagingCall::Outcome::Done:
        return {};
      case PagingCall::Outcome::OutOfRoom:
        whole = current().fresh() && !call.progressed();
        if (!current().fresh()) TRY(next_buffer());
        break;
      case PagingCall::Outcome::Busy:
        TRY(flush());
        sink_.wait_idle(allocation_of(operation));
        call.tell_idle();
        break;
    }
  }
  adapter_.machine().report_violation(
      nt::Violation::PagingNoProgress,
      fmt::format(
          "DxgkDdiBuildPagingBuffer({}) wanted another buffer {} times for an operation of {} page(s) or entries",
          name_of(operation), most_passes(operation), units_of(operation)));
  return base::Failure(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, "the driver never comes to the end of an operation");
}

base::Result<PagingCall::Room> PagingBuilder::room(bool whole) {
  if (current().dma_fill.used == current().size()) TRY(next_buffer());
  PagingBuffer& buffer = current();
  PagingCall::Room room;
  room.buffer = &buffer;
  room.bytes = std::min(buffer.size() - buffer.dma_fill.used, whole ? SIZE_MAX : options_.limit);
  room.private_bytes = buffer.private_size() - buffer.private_fill.used;
  room.whole = buffer.fresh() && room.bytes == buffer.size();
  return room;
}

base::Result<> PagingBuilder::flush() {
  if (buffers_.empty()) return {};
  PagingBuffer& buffer = current();
  PagingBuffer::Fill& dma = buffer.dma_fill;
  PagingBuffer::Fill& own = buffer.private_fill;
  if (dma.pending() == 0 && own.pending() == 0) return {};
  Submission submission{buffer, dma.submitted, dma.used, own.submitted, own.used};
  dma.submitted = dma.used;
  own.submitted = own.used;
  return sink_.submit(submission);
}

base::Result<> PagingBuilder::next_buffer() {
  TRY(flush());
  current_ = (current_ + 1) % buffers_.size();
  sink_.wait_for(current());
  current().restart();
  return {};
}

// --- What was asked for, and what has become of it ---

// Checks what the documents promise to a driver.
void PagingBuilder::check_ours(const PagingOperation& operation) {
  const AdapterCaps& caps = adapter_.caps();
  if (const auto* transfer = std::get_if<paging::Transfer>(&operation)) {
    CHECK_MSG(in_transfer_ != static_cast<bool>(transfer->flags.TransferStart), "a transfer begun within another");
    in_transfer_ = true;
  } else if (const auto* fill = std::get_if<paging::Fill>(&operation)) {
    const Segment* segment = caps.segment(fill->segment);
    CHECK_MSG(segment && !segment->aperture, "only memory segments are filled");
  } else if (const auto* map = std::get_if<paging::MapAperture>(&operation)) {
    const Segment* segment = caps.segment(map->segment);
    CHECK(segment && segment->aperture && (!map->cache_coherent || segment->cache_coherent));
  }
}

void PagingBuilder::built(const PagingOperation& operation) {
  if (const auto* transfer = std::get_if<paging::Transfer>(&operation)) {
    in_transfer_ = !transfer->flags.TransferEnd;
  } else if (const auto* map = std::get_if<paging::MapAperture>(&operation)) {
    shadow(map->segment).map(map->first_page, map->pages, *map->mdl, map->mdl_page);
  } else if (const auto* unmap = std::get_if<paging::UnmapAperture>(&operation)) {
    shadow(unmap->segment).unmap(unmap->first_page, unmap->pages, unmap->dummy_page);
  }
}

ApertureShadow& PagingBuilder::shadow(uint32_t id) {
  const Segment* segment = adapter_.caps().segment(id);
  CHECK(segment && segment->aperture);
  return shadows_.try_emplace(id, segment->size / base::kPageBytes).first->second;
}

}  // namespace dxgk
