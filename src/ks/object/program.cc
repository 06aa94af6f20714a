#include "ks/object/program.h"

#include <algorithm>
#include <cstring>

#include "ks/allocator/frame_guard.h"
#include "ks/object/create_name.h"
#include "nt/io/file_objects.h"
#include "nt/machine/machine.h"

namespace ks {
namespace {

// The file behind a handle for the length of a block.
class File {
 public:
  File(nt::Machine& machine, nt::Process& process, HANDLE handle)
      : machine_(machine), found_(machine.files().find(&process, handle, UserMode)) {}
  ~File() {
    if (found_.ok()) machine_.files().dereference(*found_.value());
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool ok() const { return found_.ok(); }
  NTSTATUS status() const { return found_.failure().code(); }
  const base::Failure& failure() const { return found_.failure(); }
  FILE_OBJECT& operator*() { return *found_.value(); }

 private:
  nt::Machine& machine_;
  base::Result<FILE_OBJECT*> found_;
};

}  // namespace

KSPIN_CONNECT standard_connect(ULONG pin, HANDLE to) {
  KSPIN_CONNECT request{};
  request.Interface.Set = KSINTERFACESETID_Standard;
  request.Interface.Id = KSINTERFACE_STANDARD_STREAMING;
  request.Medium.Set = KSMEDIUMSETID_Standard;
  request.Medium.Id = KSMEDIUM_STANDARD_DEVIO;
  request.PinId = pin;
  request.PinToHandle = to;
  request.Priority.PriorityClass = KSPRIORITY_NORMAL;
  request.Priority.PrioritySubClass = 1;
  return request;
}

Program::Program(nt::Machine& machine, const std::string& name) : machine_(machine), process_(machine, name) {}

Program::~Program() { end(); }

void Program::end() {
  if (!process_.ended()) process_.end();
}

base::Result<HANDLE> Program::open_filter(Device& device, size_t factory) {
  nt::Process::Inside inside(process_);
  if (factory >= device.factories().size()) return base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "no such filter");
  std::u16string name = u"\\" + device.factories()[factory]->reference();
  return machine_.files().open_handle(&process_,
                                      {device.functional(), nullptr, name, GENERIC_READ | GENERIC_WRITE, UserMode});
}

base::Result<HANDLE> Program::open_child(HANDLE parent, const GUID& class_id, const void* parameters, size_t bytes) {
  nt::Process::Inside inside(process_);
  File file(machine_, process_, parent);
  if (!file.ok()) return file.failure();
  std::u16string name = make_create_name(class_id, parameters, bytes);
  return machine_.files().open_handle(&process_,
                                      {*(*file).DeviceObject, &*file, name, GENERIC_READ | GENERIC_WRITE, UserMode});
}

base::Result<HANDLE> Program::open_pin(HANDLE filter, const KSPIN_CONNECT& connect, const KSDATAFORMAT& format) {
  std::vector<uint8_t> request(sizeof(connect) + format.FormatSize);
  memcpy(request.data(), &connect, sizeof(connect));
  memcpy(request.data() + sizeof(connect), &format, format.FormatSize);
  return open_child(filter, KSNAME_Pin, request.data(), request.size());
}

base::Result<HANDLE> Program::open_allocator(HANDLE pin, const KSALLOCATOR_FRAMING& framing) {
  return open_child(pin, KSNAME_Allocator, &framing, sizeof(framing));
}

base::Result<HANDLE> Program::open_clock(HANDLE pin) {
  KSCLOCK_CREATE create{};
  return open_child(pin, KSNAME_Clock, &create, sizeof(create));
}

NTSTATUS Program::close(HANDLE handle) {
  nt::Process::Inside inside(process_);
  auto closed = machine_.files().close(&process_, handle);
  return closed.ok() ? STATUS_SUCCESS : closed.failure().code();
}

NTSTATUS Program::control(HANDLE handle, ULONG code, const void* in, ULONG in_bytes, void* out, ULONG out_bytes,
                          ULONG* returned) {
  nt::Process::Inside inside(process_);
  if (returned) *returned = 0;
  File file(machine_, process_, handle);
  if (!file.ok()) return file.status();
  IO_STATUS_BLOCK status{};
  NTSTATUS result =
      machine_.files().control({*file, code, const_cast<void*>(in), in_bytes, out, out_bytes, UserMode}, status);
  if (returned) *returned = static_cast<ULONG>(status.Information);
  return result;
}

base::Result<std::vector<uint8_t>> Program::get(HANDLE file, const GUID& set, ULONG id, std::span<const uint8_t> more) {
  KSPROPERTY property{};
  property.Set = set;
  property.Id = id;
  property.Flags = KSPROPERTY_TYPE_GET;
  std::vector<uint8_t> request(sizeof(property) + more.size());
  memcpy(request.data(), &property, sizeof(property));
  if (!more.empty()) memcpy(request.data() + sizeof(property), more.data(), more.size());
  auto bytes = static_cast<ULONG>(request.size());
  ULONG returned = 0;
  NTSTATUS status = control(file, IOCTL_KS_PROPERTY, request.data(), bytes, nullptr, 0, &returned);
  // Items of a fixed size say that they want more room; lists say how much.
  if (status == STATUS_BUFFER_TOO_SMALL && !returned) returned = 256;
  if (status != STATUS_BUFFER_OVERFLOW && status != STATUS_BUFFER_TOO_SMALL && !NT_SUCCESS(status)) {
    return base::Failure(status, "the property cannot be read");
  }
  std::vector<uint8_t> data(returned);
  status = control(file, IOCTL_KS_PROPERTY, request.data(), bytes, data.data(), returned, &returned);
  if (!NT_SUCCESS(status)) return base::Failure(status, "the property cannot be read");
  data.resize(returned);
  return data;
}

base::Result<std::vector<uint8_t>> Program::get_pin(HANDLE filter, ULONG id, ULONG pin) {
  ULONG more[2] = {pin, 0};
  return get(filter, KSPROPSETID_Pin, id, {reinterpret_cast<const uint8_t*>(more), sizeof(more)});
}

NTSTATUS Program::set(HANDLE file, const GUID& set, ULONG id, const void* data, ULONG bytes) {
  KSPROPERTY property{};
  property.Set = set;
  property.Id = id;
  property.Flags = KSPROPERTY_TYPE_SET;
  return control(file, IOCTL_KS_PROPERTY, &property, sizeof(property), const_cast<void*>(data), bytes);
}

NTSTATUS Program::set_state(HANDLE pin, KSSTATE state) {
  return set(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_STATE, &state, sizeof(state));
}

base::Result<KSSTATE> Program::state(HANDLE pin) {
  std::vector<uint8_t> data = TRY(get(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_STATE));
  if (data.size() != sizeof(KSSTATE)) return base::Failure(STATUS_INVALID_BUFFER_SIZE, "a state of another size");
  KSSTATE state;
  memcpy(&state, data.data(), sizeof(state));
  return state;
}

NTSTATUS Program::reset(HANDLE pin, KSRESET reset) {
  return control(pin, IOCTL_KS_RESET_STATE, &reset, sizeof(reset), nullptr, 0);
}

base::Result<std::vector<uint8_t>> Program::intersect(HANDLE filter, ULONG pin, const KSDATARANGE& range) {
  KSMULTIPLE_ITEM list{};
  size_t range_bytes = (range.FormatSize + 7) & ~size_t{7};
  list.Size = static_cast<ULONG>(sizeof(list) + range_bytes);
  list.Count = 1;
  std::vector<uint8_t> more(2 * sizeof(ULONG) + list.Size);
  memcpy(more.data(), &pin, sizeof(pin));
  memcpy(more.data() + 2 * sizeof(ULONG), &list, sizeof(list));
  memcpy(more.data() + 2 * sizeof(ULONG) + sizeof(list), &range, range.FormatSize);
  return get(filter, KSPROPSETID_Pin, KSPROPERTY_PIN_DATAINTERSECTION, more);
}

KSALLOCATOR_FRAMING Program::propose_framing(HANDLE pin, size_t bytes) {
  KSALLOCATOR_FRAMING framing{};
  framing.OptionsFlags = KSALLOCATOR_OPTIONF_SYSTEM_MEMORY;
  framing.PoolType = NonPagedPool;
  framing.Frames = 3;
  framing.FrameSize = static_cast<ULONG>(bytes);
  framing.FileAlignment = FILE_LONG_ALIGNMENT;
  auto asked = get(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_ALLOCATORFRAMING);
  if (!asked.ok() || asked.value().size() < sizeof(framing)) return framing;
  KSALLOCATOR_FRAMING wanted;
  memcpy(&wanted, asked.value().data(), sizeof(wanted));
  framing.OptionsFlags = wanted.OptionsFlags & KSALLOCATOR_OPTIONF_SYSTEM_MEMORY;  // no more than the pin demands
  framing.FrameSize = std::max(framing.FrameSize, wanted.FrameSize);
  framing.Frames = std::max<ULONG>(wanted.Frames, 1);
  framing.FileAlignment = wanted.FileAlignment;
  return framing;
}

NTSTATUS Program::assign_allocator(HANDLE pin, HANDLE allocator) {
  return set(pin, KSPROPSETID_Stream, KSPROPERTY_STREAM_ALLOCATOR, &allocator, sizeof(allocator));
}

NTSTATUS Program::assign_clock(HANDLE pin, HANDLE clock) {
  return set(pin, KSPROPSETID_Stream, KSPROPERTY_STREAM_MASTERCLOCK, &clock, sizeof(clock));
}

ProgramBuffer::ProgramBuffer(size_t bytes) : memory_(bytes) {
  FrameGuard::register_frame(data(), bytes, memory_.slack());
}

ProgramBuffer::~ProgramBuffer() { FrameGuard::unregister_frame(data()); }

ProgramFrame::ProgramFrame(Program& program, size_t bytes, size_t header_bytes)
    : program_(program), buffer_(bytes), header_(header_bytes), request_(program.machine()) {
  renew();
}

void ProgramFrame::cancel() {
  cancelled_ = true;
  request_.cancel();
}

void ProgramFrame::renew() {
  cancelled_ = false;
  memset(header_.data(), 0, header_.size());
  header().Size = static_cast<ULONG>(header_.size());
  header().Data = buffer_.data();
  header().FrameExtent = static_cast<ULONG>(buffer_.size());
  if (KS_FRAME_INFO* frame = info()) frame->ExtendedHeaderSize = sizeof(KS_FRAME_INFO);
}

KS_FRAME_INFO* ProgramFrame::info() {
  if (header_.size() < sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO)) return nullptr;
  return reinterpret_cast<KS_FRAME_INFO*>(header_.data() + sizeof(KSSTREAM_HEADER));
}

NTSTATUS ProgramFrame::send(HANDLE pin, ULONG code) {
  nt::Process::Inside inside(program_.process());
  File file(program_.machine(), program_.process(), pin);
  if (!file.ok()) return file.status();
  return request_.start({*file, code, nullptr, 0, header_.data(), static_cast<ULONG>(header_.size()), UserMode});
}

}  // namespace ks
