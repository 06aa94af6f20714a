// KSPROPERTY_TYPE_SERIALIZESET and its inverse: a header, then for each property a header and its data, each on a
// multiple of four bytes (stream/ksproperty-structure, "Remarks").
#include <algorithm>
#include <cstring>
#include <vector>

#include "ks/property/property_request.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

constexpr ULONG kUnknownSize = 1;  // the property begins with a KSMULTIPLE_ITEM, which knows

size_t long_aligned(size_t bytes) { return (bytes + 3) & ~size_t{3}; }

KSIDENTIFIER type_of(const KSPROPERTY_ITEM& item) { return item.Values ? item.Values->PropTypeSet : KSIDENTIFIER{}; }

// For as long as this lives the IRP looks as if the client had asked for one property, with this buffer.
class Substitute {
 public:
  Substitute(IRP& irp, void* data, ULONG bytes)
      : irp_(irp),
        length_(IoGetCurrentIrpStackLocation(&irp)->Parameters.DeviceIoControl.OutputBufferLength),
        buffer_(irp.AssociatedIrp.SystemBuffer),
        was_(length_) {
    length_ = bytes;
    irp.AssociatedIrp.SystemBuffer = data;
    irp.IoStatus.Information = 0;
  }
  ~Substitute() {
    length_ = was_;
    irp_.AssociatedIrp.SystemBuffer = buffer_;
  }
  Substitute(const Substitute&) = delete;
  Substitute& operator=(const Substitute&) = delete;

 private:
  IRP& irp_;
  ULONG& length_;
  void* const buffer_;
  const ULONG was_;
};

// A block of the machine's memory, for data that a handler sees.
class Block {
 public:
  Block(nt::Machine& machine, size_t bytes)
      : machine_(machine),
        memory_(machine.pool().allocate(std::max<size_t>(bytes, 1), 0, nt::PoolKind::Internal, nt::PoolFill::Zero)) {}
  ~Block() {
    if (memory_) machine_.pool().free(memory_, 0);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  void* get() const { return memory_; }

 private:
  nt::Machine& machine_;
  void* const memory_;
};

struct OneProperty {
  const Subject& subject;
  const SetList<KSPROPERTY_SET>& table;
  const KSPROPERTY_SET& set;
  const KSPROPERTY_ITEM& item;
  const Request& request;

  // A handler of one property; one that pends would leave the rest undone.
  NTSTATUS run(PFNKSHANDLER handler, ULONG flags, void* data, ULONG bytes) const {
    IRP& irp = request.irp();
    KSIDENTIFIER& id = request.id();
    KSIDENTIFIER was = id;
    id.Id = item.PropertyId;
    id.Flags = flags;
    note_rows(irp, &set, &item);
    Substitute substitute(irp, data, bytes);
    NTSTATUS status =
        run_handler(subject, Ddi::PropertyHandler, table.drivers, handler, irp, &id, bytes ? data : nullptr);
    id = was;
    return status == STATUS_PENDING ? STATUS_UNSUCCESSFUL : status;
  }

  base::Result<ULONG> size() const {
    if (item.SerializedSize != kUnknownSize) return item.SerializedSize;
    Block head(subject.machine, sizeof(KSMULTIPLE_ITEM));
    if (!head.get()) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory to serialise a property");
    NTSTATUS status = run(item.GetPropertyHandler, KSPROPERTY_TYPE_GET, head.get(), sizeof(KSMULTIPLE_ITEM));
    if (!NT_SUCCESS(status)) return base::Failure(status, "a property did not tell its size");
    return static_cast<const KSMULTIPLE_ITEM*>(head.get())->Size;
  }

  base::Result<> append(std::vector<uint8_t>& to, ULONG bytes) const {
    KSPROPERTY_SERIAL head{type_of(item), item.PropertyId, bytes};
    Block data(subject.machine, bytes);
    if (!data.get()) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory to serialise a property");
    NTSTATUS status = run(item.GetPropertyHandler, KSPROPERTY_TYPE_GET, data.get(), bytes);
    if (!NT_SUCCESS(status)) return base::Failure(status, "a property could not be serialised");
    size_t at = long_aligned(to.size());
    to.resize(at + sizeof(head) + bytes);
    memcpy(to.data() + at, &head, sizeof(head));
    memcpy(to.data() + at + sizeof(head), data.get(), bytes);
    return {};
  }
};

bool serializable(const KSPROPERTY_ITEM& item) { return item.SerializedSize != 0 && item.GetPropertyHandler; }

base::Result<std::vector<uint8_t>> serialized(const Subject& subject, const SetList<KSPROPERTY_SET>& table,
                                              const KSPROPERTY_SET& set, const Request& request) {
  KSPROPERTY_SERIALHDR head{*set.Set, 0};
  std::vector<uint8_t> all(sizeof(head));
  for (ULONG i = 0; i < set.PropertiesCount; ++i) {
    OneProperty property{subject, table, set, table.item(set, i), request};
    if (!serializable(property.item)) continue;
    ULONG bytes = TRY(property.size());
    TRY(property.append(all, bytes));
    ++head.Count;
  }
  memcpy(all.data(), &head, sizeof(head));
  return all;
}

base::Failure cut_short(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_BUFFER_SIZE, "the serialised properties are cut short", where);
}

// Sets the property that stands at `at`; returns where it ends.
base::Result<size_t> set_next(const Subject& subject, const SetList<KSPROPERTY_SET>& table, const KSPROPERTY_SET& set,
                              const Request& request, size_t at) {
  const auto* from = static_cast<const uint8_t*>(request.data());
  size_t end = request.data_bytes();
  KSPROPERTY_SERIAL serial;
  if (end < at || end - at < sizeof(serial)) return cut_short();
  memcpy(&serial, from + at, sizeof(serial));
  at += sizeof(serial);
  if (end - at < serial.PropertyLength) return cut_short();
  const KSPROPERTY_ITEM* item = table.find(set, serial.Id);
  if (!item || !item->SetPropertyHandler) return base::Failure(STATUS_NOT_FOUND, "a serialised property cannot be set");
  if (serial.PropertyLength < item->MinData) return cut_short();
  Block data(subject.machine, serial.PropertyLength);
  if (!data.get()) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a property");
  memcpy(data.get(), from + at, serial.PropertyLength);
  OneProperty property{subject, table, set, *item, request};
  NTSTATUS status = property.run(item->SetPropertyHandler, KSPROPERTY_TYPE_SET, data.get(), serial.PropertyLength);
  if (!NT_SUCCESS(status)) return base::Failure(status, "a serialised property was refused");
  return at + serial.PropertyLength;
}

}  // namespace

NTSTATUS serialize(const Subject& subject, const SetList<KSPROPERTY_SET>& table, const KSPROPERTY_SET& set,
                   const Request& request) {
  IRP& irp = request.irp();
  if (auto able = request.returns_data(); !able.ok()) return refuse(irp, able.failure());
  auto made = serialized(subject, table, set, request);
  if (!made.ok()) return refuse(irp, made.failure());
  std::vector<uint8_t> all = made.take();
  if (auto room = need_room(request, all.size()); !room.ok()) return refuse(irp, room.failure());
  memcpy(request.data(), all.data(), all.size());
  irp.IoStatus.Information = all.size();
  return STATUS_SUCCESS;
}

NTSTATUS unserialize(const Subject& subject, const SetList<KSPROPERTY_SET>& table, const KSPROPERTY_SET& set,
                     const Request& request) {
  IRP& irp = request.irp();
  if (auto read = request.read_data(); !read.ok()) return refuse(irp, read.failure());
  KSPROPERTY_SERIALHDR head;
  if (request.data_bytes() < sizeof(head)) return refuse(irp, cut_short());
  memcpy(&head, request.data(), sizeof(head));
  if (head.PropertySet != *set.Set) {
    return refuse(irp, base::Failure(STATUS_INVALID_PARAMETER, "the serialised properties are of another set"));
  }
  size_t at = sizeof(head);
  for (ULONG i = 0; i < head.Count; ++i) {
    auto used = set_next(subject, table, set, request, long_aligned(at));
    if (!used.ok()) return refuse(irp, used.failure());
    at = used.take();
  }
  irp.IoStatus.Information = 0;
  return STATUS_SUCCESS;
}

}  // namespace ks
