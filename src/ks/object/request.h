#pragma once

#include <cstdint>
#include <span>

#include "abi/ks/ks.h"
#include "base/result.h"
#include "ks/exports/ddi.h"
#include "nt/machine/machine.h"

namespace ks {

// What the class and a driver need to answer a request: the machine, and the scope of what the driver obtains.
struct Subject {
  nt::Machine& machine;
  nt::Scope* scope;
};

// The buffers of a property, method or event request, in the machine's memory. The client's memory is read once and
// never again. The buffers are the IRP's system buffer, data first, so that the I/O manager copies the data back and
// frees both when the IRP ends, however long the driver lets it pend. A view: copied freely, valid as long as the IRP.
class Request {
 public:
  // Reads the identifier. STATUS_INVALID_BUFFER_SIZE for less than a KSIDENTIFIER, STATUS_ACCESS_VIOLATION. Of an IRP
  // that was opened before, the same buffers again.
  static base::Result<Request> open(nt::Machine& machine, IRP& irp);
  // The same in a buffer that the driver's `allocator` makes (KsPropertyHandlerWithAllocator). Null: the class's own.
  static base::Result<Request> open(const Subject& subject, IRP& irp, PFNKSALLOCATOR allocator);

  IRP& irp() const { return *irp_; }
  KSIDENTIFIER& id() const { return *id_; }
  size_t id_bytes() const { return id_bytes_; }
  void* data() const { return data_bytes_ ? data_ : nullptr; }
  ULONG data_bytes() const { return data_bytes_; }

  // What the client put there.
  base::Result<> read_data() const;
  // The contents when the IRP ends are copied to the client. STATUS_ACCESS_VIOLATION when that is not possible.
  base::Result<> returns_data() const;
  // For a buffer that the driver made: what is in it goes to the client now.
  base::Result<> write_data() const;
  bool drivers_buffer() const { return !(irp_->Flags & IRP_BUFFERED_IO); }

 private:
  Request(IRP& irp, ULONG id_bytes, ULONG data_bytes);

  IRP* irp_;
  ULONG id_bytes_, data_bytes_;
  KSIDENTIFIER* id_;
  void* data_;
};

// Room for `bytes` in the answer. STATUS_BUFFER_OVERFLOW, with the size in Information, when only that was asked for
// (no room at all); STATUS_BUFFER_TOO_SMALL for less than enough.
base::Result<> need_room(const Request& request, size_t bytes);

// Puts the table rows of a handler where it looks for them: KSPROPERTY_SET_IRP_STORAGE and the like.
template <typename Set, typename Item>
void note_rows(IRP& irp, const Set* set, const Item* item) {
  irp.Tail.Overlay.DriverContext[0] = const_cast<Set*>(set);
  irp.Tail.Overlay.DriverContext[3] = const_cast<Item*>(item);
}

// Runs a handler of the class or of a driver. A driver that lets its IRP pend has marked it.
NTSTATUS run_handler(const Subject& subject, Ddi ddi, bool drivers, PFNKSHANDLER handler, IRP& irp, KSIDENTIFIER* id,
                     void* data);

// A list in the multiple item format (KsHandleSizedListQuery): its size, its size and count, or all of it, as there is
// room for.
NTSTATUS answer_list(IRP& irp, ULONG count, ULONG item_bytes, const void* items);
// The same for items of different sizes.
NTSTATUS answer_items(IRP& irp, ULONG count, std::span<const uint8_t> items);
// One value, or a string with its terminator; the size alone when there is no room at all.
NTSTATUS answer_bytes(IRP& irp, const void* bytes, size_t count);
template <typename T>
NTSTATUS answer_value(IRP& irp, const T& value) {
  return answer_bytes(irp, &value, sizeof(value));
}

// The class's own refusals.
NTSTATUS refuse(IRP& irp, const base::Failure& failure);

}  // namespace ks
