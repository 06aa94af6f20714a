#include "nt/io/file_objects.h"

#include "nt/boundary/refuse.h"
#include "nt/ex/kernel_handles.h"
#include "nt/ex/work_queues.h"
#include "nt/io/device_objects.h"
#include "nt/io/io_request.h"
#include "nt/io/irp_buffers.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/process.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace nt {
namespace {

// IRP_MJ_CREATE's page: the high byte of Options is the disposition. FILE_OPEN, as device opens always are.
constexpr ULONG kOpenExisting = 0x01000000;
constexpr USHORT kShareAll = 7;

_OBJECT_TYPE g_file_type{ob::ObjectKind::File};

}  // namespace

// What drivers see of an open file, and behind it what they do not.
struct Files::Record {
  FILE_OBJECT object{};
  std::atomic<uint32_t> references{1};
  std::atomic<uint32_t> handles{0};
  IO_SECURITY_CONTEXT security{};
};

Files::Record& Files::record_of(FILE_OBJECT& file) { return *reinterpret_cast<Record*>(&file); }

// --- Opening ---

base::Result<FILE_OBJECT*> Files::open(const OpenRequest& request) {
  Record* record = TRY(make(request));
  auto created = create(*record, request);
  if (!created.ok()) {
    destroy(*record);
    return created.failure();
  }
  return &record->object;
}

base::Result<HANDLE> Files::open_handle(Process* process, const OpenRequest& request) {
  FILE_OBJECT* file = TRY(open(request));
  auto handle = add_handle(process, *file, request.access);
  dereference(*file);
  return handle;
}

base::Result<HANDLE> Files::add_handle(Process* process, FILE_OBJECT& file, ACCESS_MASK access) {
  Record& record = record_of(file);
  reference(file);
  record.handles.fetch_add(1, std::memory_order_relaxed);
  file.Flags |= FO_HANDLE_CREATED;
  auto handle =
      process ? process->open(ob::ObjectKind::File, &file, access) : machine_.handles().open_file(file, access);
  if (!handle.ok()) handle_closed(file);
  return handle;
}

base::Result<Files::Record*> Files::make(const OpenRequest& request) {
  TRY(machine_.devices().open(request.device));
  size_t name_bytes = request.name.size() * sizeof(char16_t);
  // The name lies behind the record: drivers see both at fixed addresses.
  void* memory = machine_.pool().allocate(sizeof(Record) + name_bytes, 0, PoolKind::Internal, PoolFill::Zero);
  if (!memory) {
    machine_.devices().close(request.device);
    return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a file object");
  }
  auto* record = new (memory) Record;
  FILE_OBJECT& file = record->object;
  file.Type = IO_TYPE_FILE;
  file.Size = sizeof(FILE_OBJECT);
  file.DeviceObject = &request.device;
  file.RelatedFileObject = request.related;
  file.Flags = FO_SYNCHRONOUS_IO;
  file.FileName.Length = file.FileName.MaximumLength = static_cast<USHORT>(name_bytes);
  file.FileName.Buffer = reinterpret_cast<PWSTR>(record + 1);
  request.name.copy(file.FileName.Buffer, request.name.size());
  machine_.dispatcher().initialise(&file.Lock, sizeof(KEVENT), ObjectType::SynchronizationEvent, 1);
  machine_.dispatcher().initialise(&file.Event, sizeof(KEVENT), ObjectType::NotificationEvent, 0);
  file.IrpList.Flink = file.IrpList.Blink = &file.IrpList;
  record->security.DesiredAccess = request.access;
  record->security.FullCreateOptions = kOpenExisting;
  base::Guard guard(lock_);
  live_.insert(&file);
  return record;
}

base::Result<> Files::create(Record& record, const OpenRequest& request) {
  FILE_OBJECT& file = record.object;
  IRP* irp = make_irp(file, IRP_MJ_CREATE, IRP_CREATE_OPERATION | IRP_SYNCHRONOUS_API);
  if (!irp) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for an I/O request");
  irp->RequestorMode = request.mode;
  IO_STACK_LOCATION& next = *IoGetNextIrpStackLocation(irp);
  next.Parameters.Create.SecurityContext = &record.security;
  next.Parameters.Create.Options = kOpenExisting;
  next.Parameters.Create.ShareAccess = kShareAll;
  IoRequest sent(machine_);
  NTSTATUS status = sent.send(target(file), *irp);
  if (status == STATUS_PENDING) status = sent.wait();
  file.RelatedFileObject = nullptr;  // valid only while the request is processed, as documented
  if (NT_SUCCESS(status)) return {};
  return base::Failure(status < 0 ? status : STATUS_UNSUCCESSFUL, "the driver refused to open the device");
}

// --- Closing ---

base::Result<> Files::close(Process* process, HANDLE handle) {
  return process ? process->close(handle) : machine_.handles().close(handle);
}

void Files::handle_closed(FILE_OBJECT& file) {
  if (record_of(file).handles.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    send(file, IRP_MJ_CLEANUP, IRP_SYNCHRONOUS_API);
    file.Flags |= FO_CLEANUP_COMPLETE;
  }
  dereference(file);
}

void Files::reference(FILE_OBJECT& file) { record_of(file).references.fetch_add(1, std::memory_order_relaxed); }

void Files::dereference(FILE_OBJECT& file) {
  Record& record = record_of(file);
  if (record.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (machine_.self().irql > PASSIVE_LEVEL) {
    close_later(record);
  } else {
    close_file(record);
  }
}

void Files::dereference_anywhere(FILE_OBJECT& file) {
  Record& record = record_of(file);
  if (record.references.fetch_sub(1, std::memory_order_acq_rel) == 1) close_later(record);
}

void Files::close_later(Record& record) {
  machine_.work_queues().queue({&record, 0, [this, &record] { close_file(record); }, nullptr}, DelayedWorkQueue);
}

void Files::close_file(Record& record) {
  send(record.object, IRP_MJ_CLOSE, IRP_CLOSE_OPERATION | IRP_SYNCHRONOUS_API);
  destroy(record);
}

void Files::destroy(Record& record) {
  DEVICE_OBJECT& device = *record.object.DeviceObject;
  {
    base::Guard guard(lock_);
    live_.erase(&record.object);
  }
  machine_.pool().free(&record, 0);
  machine_.devices().close(device);
}

bool Files::hold(void* object) {
  base::Guard guard(lock_);
  if (!live_.contains(object)) return false;
  reference(*static_cast<FILE_OBJECT*>(object));
  return true;
}

bool Files::release(void* object) {
  {
    base::Guard guard(lock_);
    if (!live_.contains(object)) return false;
  }
  dereference(*static_cast<FILE_OBJECT*>(object));
  return true;
}

base::Result<FILE_OBJECT*> Files::find(Process* process, HANDLE handle, KPROCESSOR_MODE mode) {
  if (!process && mode == UserMode) {
    return base::Failure(STATUS_INVALID_HANDLE, "a kernel handle is used for user mode");
  }
  auto found = TRY(process && Process::is_handle(handle) ? process->find(handle, &g_file_type)
                                                         : machine_.handles().find(handle, &g_file_type));
  auto* file = static_cast<FILE_OBJECT*>(found.body);
  reference(*file);
  return file;
}

// --- Requests ---

DEVICE_OBJECT& Files::target(const FILE_OBJECT& file) { return *machine_.devices().top(*file.DeviceObject); }

IRP* Files::make_irp(FILE_OBJECT& file, UCHAR major, ULONG flags) {
  IRP* irp = machine_.irps().allocate(target(file).StackSize);
  if (!irp) return nullptr;
  irp->Flags = flags;
  irp->Tail.Overlay.Thread = reinterpret_cast<PETHREAD>(machine_.self().body);
  irp->Tail.Overlay.OriginalFileObject = &file;
  IO_STACK_LOCATION& next = *IoGetNextIrpStackLocation(irp);
  next.MajorFunction = major;
  next.FileObject = &file;
  return irp;
}

void Files::send(FILE_OBJECT& file, UCHAR major, ULONG flags) {
  IRP* irp = make_irp(file, major, flags);
  CHECK(irp);  // a driver must learn that its file is closed
  IoRequest sent(machine_);
  if (sent.send(target(file), *irp) == STATUS_PENDING) sent.wait();
}

base::Result<IRP*> Files::build_control(const Control& control) {
  return nt::build_control(machine_, {target(control.file), &control.file, control.major, control.code, control.in,
                                      control.in_bytes, control.out, control.out_bytes, control.mode});
}

base::Result<IRP*> Files::build_transfer(const Transfer& transfer) {
  return nt::build_transfer(machine_, {target(transfer.file), transfer.major, transfer.buffer, transfer.bytes,
                                       transfer.offset, transfer.mode, &transfer.file, transfer.information_class});
}

NTSTATUS Files::control(const Control& control, IO_STATUS_BLOCK& status) {
  IoRequest sent(machine_);
  NTSTATUS result = sent.start(control);
  if (result == STATUS_PENDING) result = sent.wait();
  status = sent.status();
  return result;
}

}  // namespace nt
