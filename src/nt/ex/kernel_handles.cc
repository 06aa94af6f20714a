#include "nt/ex/kernel_handles.h"

#include "nt/io/file_objects.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"
#include "nt/store/host_file.h"
#include "nt/store/registry.h"

namespace nt {
namespace {

constexpr uint32_t kRememberedCloses = 128;
constexpr uintptr_t kSystemProcessId = 4;  // what it is on every Windows since XP (observed)

uint64_t number(HANDLE handle) { return reinterpret_cast<uintptr_t>(handle); }

base::Failure mismatch() {
  return base::Failure(STATUS_OBJECT_TYPE_MISMATCH, "the handle stands for an object of another type");
}

}  // namespace

KernelHandles::KernelHandles(Machine& machine)
    : machine_(machine),
      table_(ob::SlotTable::kMaxSlots, kRememberedCloses),
      process_(new (machine.pool().allocate(sizeof(_EPROCESS), 0, PoolKind::Internal, PoolFill::Zero))
                   _EPROCESS{{}, reinterpret_cast<HANDLE>(kSystemProcessId)}),
      last_process_id_(kSystemProcessId) {}

base::Result<HANDLE> KernelHandles::open(ob::ObjectKind kind, void* body, ACCESS_MASK access, trace::ObjectKind traced,
                                         uint32_t ordinal, std::optional<base::Ref<base::RefCounted>> keeps) {
  auto reservation = TRY(table_.reserve());
  auto object = KernelObject::create(kind, ordinals_, body, access);
  object->tracked.kind = ResourceKind::Handle;
  object->keeps = std::move(keeps);
  machine_.track(object->tracked);
  uint64_t handle = reservation.publish(std::move(object));
  machine_.note(trace::HandleOpen{.handle = handle, .kind = static_cast<uint8_t>(traced), .ordinal = ordinal});
  return reinterpret_cast<HANDLE>(handle);
}

base::Result<HANDLE> KernelHandles::open_thread(Thread& thread, ACCESS_MASK access) {
  return open(ob::ObjectKind::Thread, thread.body, access, trace::ObjectKind::Thread, thread.ordinal);
}

// Traces have no name for a key's kind: the handle's number tells it from others.
base::Result<HANDLE> KernelHandles::open_key(RegistryKey& key, ACCESS_MASK access) {
  return open(ob::ObjectKind::RegistryKey, &key, access, trace::ObjectKind::None, key.ordinal);
}

// As for keys.
base::Result<HANDLE> KernelHandles::open_file(FILE_OBJECT& file, ACCESS_MASK access) {
  return open(ob::ObjectKind::File, &file, access, trace::ObjectKind::None, 0);
}

base::Result<RegistryKey*> KernelHandles::find_key(HANDLE handle, ACCESS_MASK access) {
  static _OBJECT_TYPE key_type{ob::ObjectKind::RegistryKey};
  Found found = TRY(find(handle, &key_type));
  if ((found.granted & access) != access) {
    return base::Failure(STATUS_ACCESS_DENIED, "the key's handle was opened without the access that this needs");
  }
  return static_cast<RegistryKey*>(found.body);
}

// Nor for a file's. The host's files have no number of their own.
base::Result<HANDLE> KernelHandles::open_host_file(base::Ref<HostFile> file) {
  HostFile* body = file.get();
  return open(ob::ObjectKind::HostFile, body, body->access(), trace::ObjectKind::None, 0,
              base::Ref<base::RefCounted>(std::move(file)));
}

// Looked up without find(): the file must not go before there is a reference to it.
base::Result<base::Ref<HostFile>> KernelHandles::find_host_file(HANDLE handle) {
  auto found = table_.get<ob::Object>(number(handle));
  if (!found.ok()) return base::Failure(STATUS_INVALID_HANDLE, ob::describe(found.error()));
  auto& object = static_cast<KernelObject&>(*found.value());
  if (object.kind() != ob::ObjectKind::HostFile) return mismatch();
  return base::Ref<HostFile>::share(*static_cast<HostFile*>(object.body()));
}

base::Result<> KernelHandles::close(HANDLE handle) {
  auto closed = table_.close<ob::Object>(number(handle), {machine_.here_id(), machine_.self().ordinal});
  if (!closed.ok()) return base::Failure(STATUS_INVALID_HANDLE, ob::describe(closed.error()));
  auto& object = static_cast<KernelObject&>(*closed.value());
  machine_.untrack(object.tracked);
  machine_.note(trace::HandleClose{.handle = number(handle)});
  if (object.kind() == ob::ObjectKind::File) machine_.files().handle_closed(*static_cast<FILE_OBJECT*>(object.body()));
  return {};
}

base::Result<KernelHandles::Found> KernelHandles::find(HANDLE handle, POBJECT_TYPE type) {
  auto found = table_.get<ob::Object>(number(handle));
  if (!found.ok()) {
    if (found.error() == ob::LookupFault::Pseudo) return find_pseudo(handle, type);
    return base::Failure(STATUS_INVALID_HANDLE, ob::describe(found.error()));
  }
  auto& object = static_cast<KernelObject&>(*found.value());
  if (type && type->kind != object.kind()) return mismatch();
  return Found{object.body(), object.granted()};
}

base::Result<KernelHandles::Found> KernelHandles::find_pseudo(HANDLE handle, POBJECT_TYPE type) {
  bool thread = handle == NtCurrentThread();
  if (!thread && handle != NtCurrentProcess()) {
    return base::Failure(STATUS_INVALID_HANDLE, "a pseudo-handle that stands for nothing");
  }
  if (type && type->kind != (thread ? ob::ObjectKind::Thread : ob::ObjectKind::Process)) return mismatch();
  if (thread) return Found{machine_.self().body, THREAD_ALL_ACCESS};
  return Found{process_, PROCESS_ALL_ACCESS};
}

}  // namespace nt
