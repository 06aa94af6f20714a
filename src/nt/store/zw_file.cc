// Files by handle. Pages: wdm/nf-wdm-zwcreatefile, nf-wdm-zwopenfile, nf-wdm-zwreadfile, nf-wdm-zwwritefile,
// nf-wdm-zwqueryinformationfile, nf-wdm-zwsetinformationfile.
//
// Only files of the host can be opened (host_files.h). Every operation is complete when the function returns, also on a
// file that was opened without FILE_SYNCHRONOUS_IO_*: nothing here is ever pending. Times are zero, which is what the
// page says of members that a file system does not support: the host's clock has no place in a run.
#include <cstring>

#include "nt/boundary/lacks_resources.h"
#include "nt/boundary/refuse.h"
#include "nt/ex/kernel_handles.h"
#include "nt/io/file_objects.h"
#include "nt/ke/apc_rules.h"
#include "nt/ke/dispatcher.h"
#include "nt/mm/touch.h"
#include "nt/store/host_files.h"

using base::Failure;
using base::Result;
using nt::FilePlace;
using nt::Fn;
using nt::HostFile;
using nt::HostFiles;
using nt::KernelEntry;
using nt::Machine;

namespace {

constexpr LONGLONG kCluster = 4096;
const Failure kNoResources(STATUS_INSUFFICIENT_RESOURCES, "the operation on a file was made to fail");

// What the caller reads in the status block when all went well, and the status.
NTSTATUS finish(KernelEntry& call, IO_STATUS_BLOCK* block, const Result<ULONG>& information) {
  NTSTATUS status = information.ok() ? STATUS_SUCCESS : nt::refuse(call.machine(), information.failure());
  if (block) *block = {{status}, information.ok() ? information.value() : 0};
  return status;
}

// --- Opening ---

ACCESS_MASK specific(ACCESS_MASK access) {
  ACCESS_MASK mapped = access & 0x0FFFFFFF;
  if (access & GENERIC_READ) mapped |= FILE_GENERIC_READ;
  if (access & GENERIC_WRITE) mapped |= FILE_GENERIC_WRITE;
  if (access & GENERIC_EXECUTE) mapped |= FILE_GENERIC_EXECUTE;
  if (access & GENERIC_ALL) mapped |= FILE_ALL_ACCESS;
  return mapped;
}

std::u16string_view text(PUNICODE_STRING string) {
  if (!string) return {};
  nt::touch(string->Buffer, string->Length);
  return {reinterpret_cast<const char16_t*>(string->Buffer), string->Length / sizeof(WCHAR)};
}

Result<ULONG> create(Machine& machine, PHANDLE handle, const OBJECT_ATTRIBUTES& attributes,
                     HostFiles::Request request) {
  std::optional<base::Ref<HostFile>> root;
  if (attributes.RootDirectory) root = TRY(machine.handles().find_host_file(attributes.RootDirectory));
  request.root = root ? root->get() : nullptr;
  request.path = text(attributes.ObjectName);
  HostFiles::Opened opened = TRY(machine.host_files().create(request));
  *handle = TRY(machine.handles().open_host_file(std::move(opened.file)));
  return opened.action;
}

NTSTATUS create(KernelEntry& call, PHANDLE handle, POBJECT_ATTRIBUTES attributes, PIO_STATUS_BLOCK block,
                const HostFiles::Request& request) {
  Result<ULONG> action = create(call.machine(), handle, *attributes, request);
  NTSTATUS status = finish(call, block, action);
  if (status == STATUS_OBJECT_NAME_NOT_FOUND) block->Information = FILE_DOES_NOT_EXIST;
  if (status == STATUS_OBJECT_NAME_COLLISION) block->Information = FILE_EXISTS;
  return status;
}

// --- Reading and writing ---

FilePlace place_of(const LARGE_INTEGER* offset) {
  bool special = offset && offset->HighPart == -1;
  if (!offset || (special && static_cast<ULONG>(offset->LowPart) == FILE_USE_FILE_POINTER_POSITION)) {
    return {FilePlace::Kind::Position, 0};
  }
  if (special && static_cast<ULONG>(offset->LowPart) == FILE_WRITE_TO_END_OF_FILE) return {FilePlace::Kind::End, 0};
  return {FilePlace::Kind::Offset, offset->QuadPart};
}

// The ways in which a driver is notified of the end of an operation.
struct Completion {
  HANDLE event;
  PIO_APC_ROUTINE routine;
};

// The event that is set in the end; null without one. APCs are reserved (documented).
Result<KEVENT*> prepare(Machine& machine, const Completion& completion) {
  if (completion.routine) return Failure(STATUS_INVALID_PARAMETER, "ApcRoutine is reserved");
  if (!completion.event) return nullptr;
  auto found = TRY(machine.handles().find(completion.event, *ExEventObjectType));
  return static_cast<KEVENT*>(found.body);
}

template <typename Move>
NTSTATUS transfer(KernelEntry& call, HANDLE handle, const Completion& completion, PIO_STATUS_BLOCK block, Move&& move) {
  auto event = prepare(call.machine(), completion);
  if (!event.ok()) return finish(call, block, event.failure());
  if (event.value()) call.machine().dispatcher().reset(event.value()->Header);
  NTSTATUS status;
  {
    auto file = call.machine().handles().find_host_file(handle);
    status = finish(call, block, file.ok() ? move(*file.value()) : Result<ULONG>(file.failure()));
  }
  if (event.value()) call.machine().dispatcher().set_event(*event.value());
  return status;
}

// --- Information ---

LARGE_INTEGER large(LONGLONG value) {
  LARGE_INTEGER out;
  out.QuadPart = value;
  return out;
}

ULONG attributes_of(const HostFile& file) { return file.folder() ? FILE_ATTRIBUTE_DIRECTORY : FILE_ATTRIBUTE_NORMAL; }

Result<> need(const HostFile& file, ACCESS_MASK access) {
  if ((file.access() & access) == access) return {};
  return Failure(STATUS_ACCESS_DENIED, "the file was opened without the access that this needs");
}

template <typename T>
Result<ULONG> give(const T& answer, void* buffer, ULONG length) {
  if (length < sizeof(T)) return Failure(STATUS_INFO_LENGTH_MISMATCH, "no room for the information");
  std::memcpy(buffer, &answer, sizeof(T));
  return ULONG{sizeof(T)};
}

Result<ULONG> query_standard(const HostFile& file, void* buffer, ULONG length) {
  LONGLONG end = TRY(file.end_of_file());
  FILE_STANDARD_INFORMATION answer = {};
  answer.AllocationSize = large((end + kCluster - 1) / kCluster * kCluster);
  answer.EndOfFile = large(end);
  answer.NumberOfLinks = 1;
  answer.DeletePending = file.delete_pending();
  answer.Directory = file.folder();
  return give(answer, buffer, length);
}

Result<ULONG> query_network_open(const HostFile& file, void* buffer, ULONG length) {
  TRY(need(file, FILE_READ_ATTRIBUTES));
  LONGLONG end = TRY(file.end_of_file());
  FILE_NETWORK_OPEN_INFORMATION answer = {};
  answer.AllocationSize = large((end + kCluster - 1) / kCluster * kCluster);
  answer.EndOfFile = large(end);
  answer.FileAttributes = attributes_of(file);
  return give(answer, buffer, length);
}

// As many whole characters as there is room for, and the length of all.
Result<ULONG> query_name(const HostFile& file, void* buffer, ULONG length) {
  constexpr ULONG kNameAt = offsetof(FILE_NAME_INFORMATION, FileName);
  if (length < sizeof(FILE_NAME_INFORMATION)) return Failure(STATUS_INFO_LENGTH_MISMATCH, "no room for a name");
  auto bytes = static_cast<ULONG>(file.name().size() * sizeof(char16_t));
  ULONG room = (length - kNameAt) & ~ULONG{1};
  std::memcpy(buffer, &bytes, sizeof(bytes));
  std::memcpy(static_cast<char*>(buffer) + kNameAt, file.name().data(), std::min(bytes, room));
  if (bytes > room) return Failure(STATUS_BUFFER_OVERFLOW, "no room for all of the name");
  return kNameAt + bytes;
}

Result<ULONG> query(HostFile& file, FILE_INFORMATION_CLASS what, void* buffer, ULONG length) {
  switch (what) {
    case FileBasicInformation: {
      TRY(need(file, FILE_READ_ATTRIBUTES));
      FILE_BASIC_INFORMATION answer = {};
      answer.FileAttributes = attributes_of(file);
      return give(answer, buffer, length);
    }
    case FileStandardInformation:
      return query_standard(file, buffer, length);
    case FileNameInformation:
      return query_name(file, buffer, length);
    case FilePositionInformation: {
      FILE_POSITION_INFORMATION answer = {large(TRY(file.position()))};
      return give(answer, buffer, length);
    }
    case FileNetworkOpenInformation:
      return query_network_open(file, buffer, length);
    default:
      return Failure(STATUS_INVALID_INFO_CLASS, "a FILE_INFORMATION_CLASS that cannot be asked for here");
  }
}

template <typename T>
Result<T> take(const void* buffer, ULONG length) {
  if (length < sizeof(T)) return Failure(STATUS_INFO_LENGTH_MISMATCH, "the information is too short");
  T given;
  std::memcpy(&given, buffer, sizeof(T));
  return given;
}

Result<> set(HostFile& file, FILE_INFORMATION_CLASS what, const void* buffer, ULONG length) {
  switch (what) {
    case FileBasicInformation:  // times and attributes are not supported, and ignored as the page says
      TRY(take<FILE_BASIC_INFORMATION>(buffer, length));
      return need(file, FILE_WRITE_ATTRIBUTES);
    case FileDispositionInformation:
      return file.set_delete(TRY(take<FILE_DISPOSITION_INFORMATION>(buffer, length)).DeleteFile);
    case FilePositionInformation:
      return file.set_position(TRY(take<FILE_POSITION_INFORMATION>(buffer, length)).CurrentByteOffset.QuadPart);
    case FileEndOfFileInformation:
      return file.set_end_of_file(TRY(take<FILE_END_OF_FILE_INFORMATION>(buffer, length)).EndOfFile.QuadPart);
    default:
      return Failure(STATUS_INVALID_INFO_CLASS, "a FILE_INFORMATION_CLASS that cannot be set here");
  }
}

Result<ULONG> query(Machine& machine, HANDLE handle, FILE_INFORMATION_CLASS what, void* buffer, ULONG length) {
  auto file = TRY(machine.handles().find_host_file(handle));
  return query(*file, what, buffer, length);
}

// The page gives the number of bytes set as the information.
Result<ULONG> set(Machine& machine, HANDLE handle, FILE_INFORMATION_CLASS what, const void* buffer, ULONG length) {
  auto file = TRY(machine.handles().find_host_file(handle));
  TRY(set(*file, what, buffer, length));
  return length;
}

}  // namespace

extern "C" {

// Where files lie and what attributes they have is the host's affair: size and attributes are not used.
NTSTATUS ZwCreateFile(PHANDLE handle, ACCESS_MASK access, POBJECT_ATTRIBUTES attributes, PIO_STATUS_BLOCK block,
                      PLARGE_INTEGER, ULONG, ULONG share, ULONG disposition, ULONG options, PVOID ea, ULONG ea_length) {
  KernelEntry call{Fn::ZwCreateFile};
  nt::check_special_apcs_enabled(call, "ZwCreateFile");
  if (nt::lacks_resources(Fn::ZwCreateFile)) return finish(call, block, kNoResources);
  if (ea || ea_length) {
    return finish(call, block, Failure(STATUS_INVALID_PARAMETER, "drivers give no extended attributes"));
  }
  return create(call, handle, attributes, block, {nullptr, {}, specific(access), share, disposition, options});
}

NTSTATUS ZwOpenFile(PHANDLE handle, ACCESS_MASK access, POBJECT_ATTRIBUTES attributes, PIO_STATUS_BLOCK block,
                    ULONG share, ULONG options) {
  KernelEntry call{Fn::ZwOpenFile};
  nt::check_special_apcs_enabled(call, "ZwOpenFile");
  if (nt::lacks_resources(Fn::ZwOpenFile)) return finish(call, block, kNoResources);
  return create(call, handle, attributes, block, {nullptr, {}, specific(access), share, FILE_OPEN, options});
}

NTSTATUS ZwReadFile(HANDLE handle, HANDLE event, PIO_APC_ROUTINE routine, PVOID, PIO_STATUS_BLOCK block, PVOID buffer,
                    ULONG length, PLARGE_INTEGER offset, PULONG) {
  KernelEntry call{Fn::ZwReadFile};
  nt::check_special_apcs_enabled(call, "ZwReadFile");
  if (nt::lacks_resources(Fn::ZwReadFile)) return finish(call, block, kNoResources);
  return transfer(call, handle, {event, routine}, block,
                  [&](HostFile& file) { return file.read(buffer, length, place_of(offset)); });
}

NTSTATUS ZwWriteFile(HANDLE handle, HANDLE event, PIO_APC_ROUTINE routine, PVOID, PIO_STATUS_BLOCK block, PVOID buffer,
                     ULONG length, PLARGE_INTEGER offset, PULONG) {
  KernelEntry call{Fn::ZwWriteFile};
  nt::check_special_apcs_enabled(call, "ZwWriteFile");
  if (nt::lacks_resources(Fn::ZwWriteFile)) return finish(call, block, kNoResources);
  return transfer(call, handle, {event, routine}, block,
                  [&](HostFile& file) { return file.write(buffer, length, place_of(offset)); });
}

NTSTATUS ZwQueryInformationFile(HANDLE handle, PIO_STATUS_BLOCK block, PVOID buffer, ULONG length,
                                FILE_INFORMATION_CLASS what) {
  KernelEntry call{Fn::ZwQueryInformationFile};
  nt::check_special_apcs_enabled(call, "ZwQueryInformationFile");
  if (nt::lacks_resources(Fn::ZwQueryInformationFile)) return finish(call, block, kNoResources);
  return finish(call, block, query(call.machine(), handle, what, buffer, length));
}

NTSTATUS ZwSetInformationFile(HANDLE handle, PIO_STATUS_BLOCK block, PVOID buffer, ULONG length,
                              FILE_INFORMATION_CLASS what) {
  KernelEntry call{Fn::ZwSetInformationFile};
  nt::check_special_apcs_enabled(call, "ZwSetInformationFile");
  if (nt::lacks_resources(Fn::ZwSetInformationFile)) return finish(call, block, kNoResources);
  return finish(call, block, set(call.machine(), handle, what, buffer, length));
}

}  // extern "C"
