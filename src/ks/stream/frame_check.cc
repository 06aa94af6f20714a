#include "ks/stream/frame_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "abi/ks/ksmedia.h"
#include "ks/allocator/frame_guard.h"
#include "ks/clock/clock.h"
#include "ks/stream/stream_irp.h"

namespace ks {

using nt::Violation;

void FrameCheck::judge_bounds(nt::Machine& machine, const std::string& pin, const Frame& frame) {
  if (uint32_t bytes = frame.request->header_overrun(frame)) {
    machine.report_violation(
        Violation::KsHeaderOverrun,
        fmt::format("{}: {} byte(s) behind the stream header of a frame were written; its Size is {}", pin, bytes,
                    frame.request->header_bytes()));
  }
  if (size_t bytes = FrameGuard::overrun(frame.data)) {
    machine.report_violation(
        Violation::KsFrameOverrun,
        fmt::format("{}: {} byte(s) behind a frame of {} bytes were written", pin, bytes, frame.extent));
  }
}

void FrameCheck::judge(nt::Machine& machine, const std::string& pin, const Frame& frame, const Stream& stream) {
  KSSTREAM_HEADER& header = *frame.header;
  // The driver may have written to FrameExtent; that does not make the frame larger.
  ULONG extent = std::min(frame.extent, header.FrameExtent);
  if (header.DataUsed > extent) {
    machine.report_violation(
        Violation::KsTooMuchUsed,
        fmt::format("{}: DataUsed of a frame is {}, and its FrameExtent {}", pin, header.DataUsed, extent));
    header.DataUsed = extent;
  }
  if (header.OptionsFlags & KSSTREAM_HEADER_OPTIONSF_TIMEVALID) judge_time(machine, pin, frame, stream);
  judge_picture(machine, pin, frame);
}

void FrameCheck::note_announcement(const Frame& frame) {
  if (frame.header->OptionsFlags & KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY) {
    announced_ = std::max(announced_, frame.sequence);
  }
}

void FrameCheck::judge_time(nt::Machine& machine, const std::string& pin, const Frame& frame, const Stream& stream) {
  const KSTIME& given = frame.header->PresentationTime;
  if (given.Numerator == 0 || given.Denominator == 0) {
    machine.report_violation(Violation::KsTimeFractionZero,
                             fmt::format("{}: the presentation time of a frame is to be scaled by {}/{}", pin,
                                         given.Numerator, given.Denominator));
    return;
  }
  auto scaled = static_cast<LONGLONG>(static_cast<__int128>(given.Time) * given.Numerator / given.Denominator);
  if (timed_ != 0 && frame.sequence > timed_ && scaled < time_ && !stream.reordered) {
    machine.report_violation(
        Violation::KsTimeBackwards,
        fmt::format("{}: the presentation time of a frame is {} (100 ns), and that of the frame before it {}", pin,
                    scaled, time_));
  }
  if (frame.sequence > timed_) {
    timed_ = frame.sequence;
    time_ = scaled;
  }
  if (stream.clock && stream.clock->gave_time(given.Time)) {
    machine.report_violation(
        Violation::KsTimeUncorrelated,
        fmt::format("{}: the presentation time {} comes from GetTime; GetCorrelatedTime was never asked", pin,
                    given.Time));
  }
}

void FrameCheck::judge_picture(nt::Machine& machine, const std::string& pin, const Frame& frame) {
  const KSSTREAM_HEADER& header = *frame.header;
  // A frame whose header is too short for the counts may be the one that says so.
  note_announcement(frame);
  if (frame.request->header_bytes() < sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO)) return;
  const auto& info = *reinterpret_cast<const KS_FRAME_INFO*>(&header + 1);
  bool filled = header.DataUsed != 0 && info.ExtendedHeaderSize == sizeof(KS_FRAME_INFO);
  if (!filled || frame.sequence <= counted_) return;
  if (counted_ != 0) {
    if (info.PictureNumber < picture_) {
      machine.report_violation(Violation::KsPictureNumberBack,
                               fmt::format("{}: a frame has PictureNumber {}, and the frame before it had {}", pin,
                                           info.PictureNumber, picture_));
    }
    if (info.DropCount > file_releases_ && announced_ <= counted_) {
      machine.report_violation(
          Violation::KsNoDiscontinuity,
          fmt::format("{}: DropCount went from {} to {}, and the frame does not say that data is missing", pin,
                      file_releases_, info.DropCount));
    }
  }
  counted_ = frame.sequence;
  picture_ = info.PictureNumber;
  file_releases_ = info.DropCount;
}

}  // namespace ks
