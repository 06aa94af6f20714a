#pragma once

#include <string_view>
#include <unordered_set>

#include "abi/km/wdm.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/result.h"
#include "nt/io/irps.h"

namespace nt {

class Machine;
class Process;

// File objects: what a program or a driver opened on a device. Each lies in the machine's memory, keeps its device
// object there, and has two counts: the last handle's close sends IRP_MJ_CLEANUP, the last reference's IRP_MJ_CLOSE.
// Requests go to the top of the device's stack. Owned by the machine; any of its threads, at PASSIVE_LEVEL where
// nothing else is said.
class Files {
 public:
  explicit Files(Machine& machine) : machine_(machine) {}
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  struct OpenRequest {
    DEVICE_OBJECT& device;
    FILE_OBJECT* related;  // null: none
    std::u16string_view name;
    ACCESS_MASK access;
    KPROCESSOR_MODE mode;
  };
  // Sends IRP_MJ_CREATE and waits for it. There is no handle yet; the caller holds one reference.
  base::Result<FILE_OBJECT*> open(const OpenRequest& request);
  // `process` null: a kernel handle.
  base::Result<HANDLE> open_handle(Process* process, const OpenRequest& request);
  // A handle to an open file, as open_handle() makes one.
  base::Result<HANDLE> add_handle(Process* process, FILE_OBJECT& file, ACCESS_MASK access);
  base::Result<> close(Process* process, HANDLE handle);
  // The file that the handle stands for, referenced. User mode sees its process's handles only.
  base::Result<FILE_OBJECT*> find(Process* process, HANDLE handle, KPROCESSOR_MODE mode);

  void reference(FILE_OBJECT& file);    // DISPATCH_LEVEL or below
  void dereference(FILE_OBJECT& file);  // DISPATCH_LEVEL or below; above PASSIVE_LEVEL a system worker closes the file
  // dereference() for callers that may run inside of a driver call: it never waits for IRP_MJ_CLOSE there.
  void dereference_anywhere(FILE_OBJECT& file);
  // The same for what may be something else; false, and nothing was done, if it is no file object.
  bool hold(void* object);
  bool release(void* object);

  struct Control {
    FILE_OBJECT& file;
    ULONG code;
    void* in;
    ULONG in_bytes;
    void* out;
    ULONG out_bytes;
    KPROCESSOR_MODE mode;
    UCHAR major = IRP_MJ_DEVICE_CONTROL;  // or IRP_MJ_INTERNAL_DEVICE_CONTROL, IRP_MJ_FILE_SYSTEM_CONTROL
  };
  // Waits, whatever happens.
  NTSTATUS control(const Control& control, IO_STATUS_BLOCK& status);
  // An IRP for it that is ready to be sent to target().
  base::Result<IRP*> build_control(const Control& control);

  struct Transfer {
    FILE_OBJECT& file;
    UCHAR major;  // IRP_MJ_READ, IRP_MJ_WRITE, one about information of the file or its volume, or one without a buffer
    void* buffer;
    ULONG bytes;
    LARGE_INTEGER offset;
    KPROCESSOR_MODE mode;
    ULONG information_class = 0;
  };
  // The same for a request with one buffer.
  base::Result<IRP*> build_transfer(const Transfer& transfer);

  // The device that requests on `file` go to: the top of the stack that its device is in.
  DEVICE_OBJECT& target(const FILE_OBJECT& file);

  // A handle table took a handle to `file` out.
  void handle_closed(FILE_OBJECT& file);

 private:
  struct Record;

  static Record& record_of(FILE_OBJECT& file);
  base::Result<Record*> make(const OpenRequest& request);
  base::Result<> create(Record& record, const OpenRequest& request);
  void close_file(Record& record);
  void close_later(Record& record);
  void destroy(Record& record);
  // A request without parameters, waited for.
  void send(FILE_OBJECT& file, UCHAR major, ULONG flags);
  IRP* make_irp(FILE_OBJECT& file, UCHAR major, ULONG flags);

  Machine& machine_;
  base::Mutex<base::LockRank::Table> lock_;
  std::unordered_set<const void*> live_ GUARDED_BY(lock_);  // never walked
};

}  // namespace nt
