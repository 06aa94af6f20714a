#pragma once

#include "abi/ks/ks.h"
#include "nt/machine/machine.h"

namespace ks {

enum class NodeKind : uint8_t { Filter, Pin, Allocator, Clock, TopologyNode };

// What a file object of the class stands for: a filter, a pin, an allocator, a clock, a topology node. FsContext points
// to the node. A file references the file it was opened relative to, so a parent's close comes after its children's.
class FileNode {
 public:
  virtual ~FileNode() = default;

  virtual NodeKind kind() const = 0;
  // IRP_MJ_CREATE relative to this file: `class_id`, and a copy of what follows it in the name, of which only the size
  // was checked. The caller completes the IRP with the returned status, unless that is STATUS_PENDING.
  virtual NTSTATUS create_child(IRP& irp, const GUID& class_id, const uint8_t* parameters, size_t bytes) {
    (void)irp, (void)class_id, (void)parameters, (void)bytes;
    return STATUS_OBJECT_NAME_NOT_FOUND;
  }
  // IRP_MJ_DEVICE_CONTROL. The caller completes the IRP with the returned status, unless that is STATUS_PENDING.
  virtual NTSTATUS device_control(IRP& irp) = 0;
  // The last handle is gone: requests that wait are cancelled, events of this file are disabled.
  virtual void cleanup(IRP& irp) { (void)irp; }
  // The last reference is gone; the node is deleted after this, unless it returns STATUS_PENDING.
  virtual NTSTATUS close(IRP& irp) = 0;
  // The driver let a create or a close pend, and has completed it now. A node that is closed, or whose create failed,
  // is deleted after this.
  virtual void pended(UCHAR major, NTSTATUS status) { (void)major, (void)status; }
};

inline FileNode* node_of(const FILE_OBJECT* file) { return file ? static_cast<FileNode*>(file->FsContext) : nullptr; }

}  // namespace ks
