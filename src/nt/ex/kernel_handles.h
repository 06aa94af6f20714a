#pragma once

#include <atomic>
#include <optional>

#include "abi/km/wdm.h"
#include "base/ref.h"
#include "base/result.h"
#include "nt/machine/scope.h"
#include "ob/handle_table.h"
#include "ob/object.h"
#include "trace/event.h"

// What *PsThreadType and its like point to. Opaque to drivers.
struct _OBJECT_TYPE {
  ob::ObjectKind kind;
};

// The one process that there is. Opaque to drivers.
struct _EPROCESS {
  DISPATCHER_HEADER header;
  HANDLE id;
};

namespace nt {

class HostFile;
class Machine;
class Thread;
struct RegistryKey;

// What an open kernel handle stands for: a kernel object's body, the granted access, and the owner of the handle.
// Owned by the handle table.
class KernelObject final : public ob::Object {
 public:
  static ob::UnpublishedObject<KernelObject> create(ob::ObjectKind kind, ob::Ordinals& ordinals, void* body,
                                                    ACCESS_MASK granted) {
    return ob::UnpublishedObject<KernelObject>::adopt(new KernelObject(kind, ordinals, body, granted));
  }

  void* body() const { return body_; }
  ACCESS_MASK granted() const { return granted_; }
  Tracked tracked;
  std::optional<base::Ref<base::RefCounted>> keeps;  // what lives as long as the handle

 private:
  KernelObject(ob::ObjectKind kind, ob::Ordinals& ordinals, void* body, ACCESS_MASK granted)
      : Object(kind, ordinals), body_(body), granted_(granted) {}

  void* const body_;
  const ACCESS_MASK granted_;
};

// The handles of the system process: every handle that a driver gets is one of these (kernel handles). Owned by the
// machine; any of its threads.
class KernelHandles {
 public:
  explicit KernelHandles(Machine& machine);

  // A new handle to a thread, a registry key or a file, on the list of the current scope.
  base::Result<HANDLE> open_thread(Thread& thread, ACCESS_MASK access);
  base::Result<HANDLE> open_key(RegistryKey& key, ACCESS_MASK access);
  base::Result<HANDLE> open_file(FILE_OBJECT& file, ACCESS_MASK access);
  // Opens a handle to a file of the host; the handle keeps the file.
  base::Result<HANDLE> open_host_file(base::Ref<HostFile> file);
  base::Result<> close(HANDLE handle);

  struct Found {
    void* body;
    ACCESS_MASK granted;
  };
  // The body of the object that `handle` stands for. `type` null: of any type.
  base::Result<Found> find(HANDLE handle, POBJECT_TYPE type);
  // A key's, if `access` was granted to it.
  base::Result<RegistryKey*> find_key(HANDLE handle, ACCESS_MASK access);
  base::Result<base::Ref<HostFile>> find_host_file(HANDLE handle);

  _EPROCESS& process() { return *process_; }
  // Ids are multiples of four, as on Windows (observed); programs come after the system process.
  HANDLE next_process_id() { return reinterpret_cast<HANDLE>(last_process_id_.fetch_add(4) + 4); }

 private:
  base::Result<HANDLE> open(ob::ObjectKind kind, void* body, ACCESS_MASK access, trace::ObjectKind traced,
                            uint32_t ordinal, std::optional<base::Ref<base::RefCounted>> keeps = {});
  base::Result<Found> find_pseudo(HANDLE handle, POBJECT_TYPE type);

  Machine& machine_;
  ob::Ordinals ordinals_;
  ob::NtHandleTable table_;
  _EPROCESS* process_;
  std::atomic<uintptr_t> last_process_id_;
};

}  // namespace nt
