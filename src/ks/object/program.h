#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/ks/ks.h"
#include "abi/ks/ksmedia.h"
#include "base/result.h"
#include "ks/device/device.h"
#include "nt/io/io_request.h"
#include "nt/ke/process.h"
#include "nt/mm/user_memory.h"

namespace ks {

// A connect request with the standard interface and medium, to a program or (`to`) to another pin.
KSPIN_CONNECT standard_connect(ULONG pin, HANDLE to = nullptr);

// A program that streams with plain handles and control codes, without the checks of a library. One thread at a time;
// it may end or be killed with anything open.
class Program {
 public:
  Program(nt::Machine& machine, const std::string& name);
  ~Program();  // end()
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nt::Machine& machine() { return machine_; }
  nt::Process& process() { return process_; }
  // The process ends: requests are cancelled, handles are closed.
  void end();

  // A filter of the device: `factory` counts its filter factories.
  base::Result<HANDLE> open_filter(Device& device, size_t factory);
  // IRP_MJ_CREATE below an open file, with anything behind the class GUID.
  base::Result<HANDLE> open_child(HANDLE parent, const GUID& class_id, const void* parameters, size_t bytes);
  base::Result<HANDLE> open_pin(HANDLE filter, const KSPIN_CONNECT& connect, const KSDATAFORMAT& format);
  base::Result<HANDLE> open_allocator(HANDLE pin, const KSALLOCATOR_FRAMING& framing);
  base::Result<HANDLE> open_clock(HANDLE pin);
  NTSTATUS close(HANDLE handle);

  // One control code, with any buffers; waits for it.
  NTSTATUS control(HANDLE file, ULONG code, const void* in, ULONG in_bytes, void* out, ULONG out_bytes,
                   ULONG* returned = nullptr);

  // --- What most programs want ---
  // Get: the size is asked for first. The request may have more behind the KSPROPERTY.
  base::Result<std::vector<uint8_t>> get(HANDLE file, const GUID& set, ULONG id, std::span<const uint8_t> more = {});
  base::Result<std::vector<uint8_t>> get_pin(HANDLE filter, ULONG id, ULONG pin);  // KSPROPSETID_Pin
  NTSTATUS set(HANDLE file, const GUID& set, ULONG id, const void* data, ULONG bytes);
  NTSTATUS set_state(HANDLE pin, KSSTATE state);
  base::Result<KSSTATE> state(HANDLE pin);
  NTSTATUS reset(HANDLE pin, KSRESET reset);
  // KSPROPERTY_PIN_DATAINTERSECTION with one range.
  base::Result<std::vector<uint8_t>> intersect(HANDLE filter, ULONG pin, const KSDATARANGE& range);
  // The framing for an allocator with frames of so many bytes: what the pin asks for, or our default.
  KSALLOCATOR_FRAMING propose_framing(HANDLE pin, size_t bytes);
  NTSTATUS assign_allocator(HANDLE pin, HANDLE allocator);
  NTSTATUS assign_clock(HANDLE pin, HANDLE clock);

 private:
  nt::Machine& machine_;
  nt::Process process_;
};

// Memory of a program for one frame. The page behind it tells an overrun at its first byte.
class ProgramBuffer {
 public:
  explicit ProgramBuffer(size_t bytes);
  ~ProgramBuffer();
  ProgramBuffer(const ProgramBuffer&) = delete;
  ProgramBuffer& operator=(const ProgramBuffer&) = delete;

  uint8_t* data() { return memory_.data(); }
  size_t size() const { return memory_.size(); }

 private:
  nt::UserMemory memory_;
};

// One frame under way: a header with room behind it, a buffer, and the request. Owned by the program.
class ProgramFrame {
 public:
  // `header_bytes` of the header in all, the extension counted.
  ProgramFrame(Program& program, size_t bytes, size_t header_bytes = sizeof(KSSTREAM_HEADER));
  KSSTREAM_HEADER& header() { return *reinterpret_cast<KSSTREAM_HEADER*>(header_.data()); }
  KS_FRAME_INFO* info();  // null without room for it
  std::span<const uint8_t> data() { return {buffer_.data(), header().DataUsed}; }
  ProgramBuffer& buffer() { return buffer_; }
  void renew();  // as it was before it was sent

  // IOCTL_KS_READ_STREAM or IOCTL_KS_WRITE_STREAM. STATUS_PENDING, or how it ended.
  NTSTATUS read(HANDLE pin) { return send(pin, IOCTL_KS_READ_STREAM); }
  NTSTATUS write(HANDLE pin) { return send(pin, IOCTL_KS_WRITE_STREAM); }
  bool pending() const { return request_.pending(); }
  NTSTATUS wait(base::TimeNs deadline = base::kForever) { return request_.wait(deadline); }
  void cancel();
  // It was cancelled since it was made, or renewed. Whatever became of that.
  bool cancelled() const { return cancelled_; }
  const IO_STATUS_BLOCK& status() const { return request_.status(); }

 private:
  NTSTATUS send(HANDLE pin, ULONG code);

  Program& program_;
  ProgramBuffer buffer_;
  std::vector<uint8_t> header_;
  nt::IoRequest request_;
  bool cancelled_ = false;
};

}  // namespace ks
