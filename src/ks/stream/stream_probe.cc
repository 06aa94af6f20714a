// What a client sent with IOCTL_KS_READ_STREAM or IOCTL_KS_WRITE_STREAM. Pages: ks/ns-ks-ksstream_header,
// ks/ni-ks-ioctl_ks_read_stream, ks/ni-ks-ioctl_ks_write_stream, ks/nf-ks-ksprobestreamirp.
//
// The pages of the two control codes name the input buffer as the place of the headers; KsStreamIo and the clients that
// are known pass them as the output buffer. Ours: the output buffer if there is one, else the input buffer.
#include "base/planted.h"
#include "ks/allocator/frame_guard.h"
#include "ks/pin/pin.h"
#include "ks/stream/queue.h"
#include "ks/stream/stream_irp.h"
#include "nt/mm/careful_copy.h"
#include "nt/mm/physical_memory.h"

namespace ks {
namespace {

constexpr ULONG kKnownOptions = KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT | KSSTREAM_HEADER_OPTIONSF_PREROLL |
                                KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY | KSSTREAM_HEADER_OPTIONSF_TYPECHANGED |
                                KSSTREAM_HEADER_OPTIONSF_TIMEVALID | KSSTREAM_HEADER_OPTIONSF_TIMEDISCONTINUITY |
                                KSSTREAM_HEADER_OPTIONSF_FLUSHONPAUSE | KSSTREAM_HEADER_OPTIONSF_DURATIONVALID |
                                KSSTREAM_HEADER_OPTIONSF_ENDOFSTREAM | KSSTREAM_HEADER_OPTIONSF_BUFFEREDTRANSFER |
                                KSSTREAM_HEADER_OPTIONSF_VRAM_DATA_TRANSFER | KSSTREAM_HEADER_OPTIONSF_METADATA |
                                KSSTREAM_HEADER_OPTIONSF_ENDOFPHOTOSEQUENCE | KSSTREAM_HEADER_OPTIONSF_FRAMEINFO |
                                KSSTREAM_HEADER_OPTIONSF_PERSIST_SAMPLE | KSSTREAM_HEADER_OPTIONSF_SAMPLE_PERSISTED |
                                KSSTREAM_HEADER_TRACK_COMPLETION_NUMBERS |
                                KSSTREAM_HEADER_OPTIONSF_SECUREBUFFERTRANSFER | KSSTREAM_HEADER_OPTIONSF_LOOPEDDATA;

bool may_name(KPROCESSOR_MODE mode, const void* address, size_t bytes) {
  auto begin = reinterpret_cast<uintptr_t>(address);
  if (begin + bytes < begin) return false;
  return mode == KernelMode ||
         (!nt::PhysicalMemory::is_kernel(begin) && !nt::PhysicalMemory::is_kernel(begin + bytes - 1));
}

}  // namespace

// The array of headers as the client described it, and the size that its first header claims.
struct StreamIrp::Probing {
  uint8_t* headers;
  uint32_t bytes;
  uint32_t header_bytes;
  KPROCESSOR_MODE mode;

  static base::Result<Probing> begin(IRP& irp, const IO_STACK_LOCATION& location);
};

base::Result<StreamIrp::Probing> StreamIrp::Probing::begin(IRP& irp, const IO_STACK_LOCATION& location) {
  const auto& control = location.Parameters.DeviceIoControl;
  bool out = control.OutputBufferLength != 0;
  Probing probing = {static_cast<uint8_t*>(out ? irp.UserBuffer : control.Type3InputBuffer),
                     out ? control.OutputBufferLength : control.InputBufferLength, 0, irp.RequestorMode};
  if (probing.bytes < sizeof(KSSTREAM_HEADER)) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "the buffer is shorter than one KSSTREAM_HEADER");
  }
  if (reinterpret_cast<uintptr_t>(probing.headers) & 7) {
    return base::Failure(STATUS_DATATYPE_MISALIGNMENT, "the stream headers are not aligned on eight bytes");
  }
  if (!may_name(probing.mode, probing.headers, probing.bytes)) {
    return base::Failure(STATUS_ACCESS_VIOLATION, "the stream headers of a program lie in the kernel's memory");
  }
  TRY(nt::careful_read(&probing.header_bytes, probing.headers, sizeof(probing.header_bytes)));
  bool possible = probing.header_bytes >= sizeof(KSSTREAM_HEADER) && probing.header_bytes % 8 == 0 &&
                  probing.header_bytes <= kMostHeader;
  if (!possible && !base::planted("ks_requests_fuzz")) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "the Size of a stream header is none");
  }
  if (probing.bytes % probing.header_bytes != 0) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "the buffer is no whole number of stream headers");
  }
  if (probing.bytes / probing.header_bytes > kMostFrames) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "there are too many stream headers in one request");
  }
  return probing;
}

base::Result<> StreamIrp::take_headers(const Probing& probing) {
  TRY(set_headers(probing.bytes / probing.header_bytes, probing.header_bytes));
  const uint8_t* from = probing.headers;
  for (Frame& frame : frames()) {
    TRY(nt::careful_read(frame.header, from, header_bytes_));
    TRY(check_header(*frame.header));
    frame.data = static_cast<uint8_t*>(frame.header->Data);
    frame.extent = frame.header->FrameExtent;
    if (frame.extent != 0 && !may_name(probing.mode, frame.data, frame.extent)) {
      return base::Failure(STATUS_ACCESS_VIOLATION, "a frame of a program lies in the kernel's memory");
    }
    from += header_bytes_;
  }
  client_headers_ = probing.headers;
  return {};
}

base::Result<> StreamIrp::check_header(const KSSTREAM_HEADER& header) const {
  if (header.Size != header_bytes_) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "the stream headers of one request differ in Size");
  }
  if ((header.Data == nullptr) != (header.FrameExtent == 0)) {
    return base::Failure(STATUS_INVALID_PARAMETER, "a stream header has Data without FrameExtent, or the reverse");
  }
  if (!write_ && header.DataUsed != 0) {
    return base::Failure(STATUS_INVALID_PARAMETER, "DataUsed of a read is not zero");
  }
  if (header.DataUsed > header.FrameExtent) {
    return base::Failure(STATUS_INVALID_PARAMETER, "DataUsed is larger than FrameExtent");
  }
  if (header.OptionsFlags & ~kKnownOptions) {
    return base::Failure(STATUS_INVALID_PARAMETER, "a stream header has unknown OptionsFlags");
  }
  bool changes = header.OptionsFlags & KSSTREAM_HEADER_OPTIONSF_TYPECHANGED;
  if (write_ && changes && (count_ != 1 || header.Size != sizeof(KSSTREAM_HEADER))) {
    return base::Failure(STATUS_INVALID_PARAMETER, "a header with a new format is extended, or not alone");
  }
  return {};
}

base::Result<> StreamIrp::lock_frames() {
  for (Frame& frame : frames()) {
    if (frame.extent == 0) continue;
    {
      FrameGuard::Opened opened(frame.data, frame.extent);  // another request may have the same memory
      TRY(write_ ? nt::careful_probe_read(frame.data, frame.extent)
                 : nt::careful_probe_write(frame.data, frame.extent));
    }
    TRY(lock_pages(frame, write_ ? IoReadAccess : IoWriteAccess));
  }
  return {};
}

base::Result<std::unique_ptr<StreamIrp>> StreamIrp::probe(Pin& pin, IRP& irp) { return probe(pin.queue(), irp); }

base::Result<std::unique_ptr<StreamIrp>> StreamIrp::probe(Queue& queue, IRP& irp) {
  const IO_STACK_LOCATION& location = *IoGetCurrentIrpStackLocation(&irp);
  ULONG code = location.Parameters.DeviceIoControl.IoControlCode;
  bool input = queue.site().body.DataFlow == KSPIN_DATAFLOW_IN;
  if (code != (input ? IOCTL_KS_WRITE_STREAM : IOCTL_KS_READ_STREAM)) {
    return base::Failure(STATUS_INVALID_DEVICE_REQUEST, "the request is not for the direction of the pin's data");
  }
  Probing probing = TRY(Probing::begin(irp, location));
  std::unique_ptr<StreamIrp> made(StreamIrpCache::take(queue.cache()));
  made->write_ = input;
  TRY(made->take_headers(probing));
  TRY(made->lock_frames());
  made->irp_ = &irp;
  made->publish();
  return made;
}

}  // namespace ks
