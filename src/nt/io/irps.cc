#include "nt/io/irps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/sanitizer.h"
#include "nt/boundary/driver_call.h"
#include "nt/fault/fault.h"
#include "nt/io/irp_buffers.h"
#include "nt/io/irp_packet.h"
#include "nt/ke/spin_locks.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace nt {
namespace {

constexpr CCHAR kMostLocations = 126;  // CurrentLocation is a signed byte, and one more than that

size_t visible_bytes(const IrpPacket& packet) {
  return sizeof(IRP) + static_cast<size_t>(packet.stack_size) * sizeof(IO_STACK_LOCATION);
}

void fill(IrpPacket& packet) {
  size_t bytes = visible_bytes(packet);
  base::unpoison(&packet.irp, bytes);
  std::memset(&packet.irp, kFreedIrpFill, bytes);
  base::poison(&packet.irp, bytes);
}

NO_SANITIZE bool is_filled(const IrpPacket& packet) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&packet.irp);
  for (size_t i = 0; i < visible_bytes(packet); ++i) {
    if (bytes[i] != kFreedIrpFill) return false;
  }
  return true;
}

// Reading or writing an IRP that is kept back.
std::optional<FaultStory> explain_freed_irp(Machine& machine, uintptr_t address) {
  return machine.irps().is_freed(address)
             ? std::optional(
                   FaultStory{Violation::IrpUsedAfterCompletion, "an IRP is used that was completed or freed before"})
             : std::nullopt;
}

}  // namespace

Irps::Irps(Machine& machine) : machine_(machine), waits_(machine) {
  static const bool added = (add_fault_explainer(&explain_freed_irp), true);
  static_cast<void>(added);
}

// --- Packets ---

IRP* Irps::allocate(CCHAR stack_size) {
  if (stack_size < 1 || stack_size > kMostLocations) return nullptr;
  IrpPacket* packet = take_free(stack_size);
  if (!packet && !(packet = make(stack_size))) return nullptr;
  packet->end = End::Driver;
  packet->request = nullptr;
  initialise(packet->irp, static_cast<USHORT>(visible_bytes(*packet)), stack_size);
  packet->irp.AllocationFlags = kInPacket;
  return &packet->irp;
}

IRP* Irps::allocate_for_driver(CCHAR stack_size) {
  if (machine_.fails(FaultKind::Pool, "IoAllocateIrp")) return nullptr;
  IRP* irp = allocate(stack_size);
  if (irp) track(*irp);
  return irp;
}

void Irps::track(IRP& irp) {
  Tracked& tracked = packet_of(irp)->tracked;
  tracked.kind = ResourceKind::Irp;
  machine_.track(tracked);
}

IrpPacket* Irps::take_free(CCHAR stack_size) {
  IrpPacket* packet;
  {
    base::Guard guard(lock_);
    FreeList& list = free_[static_cast<size_t>(stack_size)];
    if (list.count <= kKeptBack) return nullptr;
    --list.count;
    packet = list.first;
    list.first = packet->next_free;
    packet->in_use = true;
  }
  if (!is_filled(*packet)) report_used(packet->freed_at);
  base::unpoison(&packet->irp, visible_bytes(*packet));
  base::happens_after(packet);
  return packet;
}

IrpPacket* Irps::make(CCHAR stack_size) {
  auto count = static_cast<size_t>(stack_size);
  size_t bytes = count * sizeof(LocationState) + sizeof(IrpPacket) + count * sizeof(IO_STACK_LOCATION);
  auto* memory = static_cast<char*>(machine_.pool().allocate(bytes, 0, PoolKind::Internal, PoolFill::Zero));
  if (!memory) return nullptr;
  auto* packet = new (memory + count * sizeof(LocationState)) IrpPacket{};
  packet->locations = reinterpret_cast<LocationState*>(memory);
  packet->stack_size = stack_size;
  packet->in_use = true;
  base::Guard guard(lock_);
  packets_.push_back(packet);
  return packet;
}

void Irps::free(IRP& irp) {
  if (!usable(irp, "IoFreeIrp")) return;
  IrpPacket* packet = packet_of(irp);
  if (!packet) {
    machine_.report_violation(Violation::IrpFreedInUse, "IoFreeIrp was given an IRP that IoAllocateIrp did not return");
    return;
  }
  if (packet->sent()) {
    machine_.report_violation(Violation::IrpFreedInUse, "an IRP is freed while a driver has it");
    for (int i = 0; i < packet->stack_size; ++i) {
      tell_frames(packet->locations[i].exchange(kNotSent, std::memory_order_acq_rel), DispatchFrame::Outcome::Lost);
    }
  }
  release_system_buffer(machine_, irp);
  if (packet->tracked.scope) machine_.untrack(packet->tracked);
  put_back(*packet);
}

void Irps::free_for_driver(IRP& irp) {
  if (!usable(irp, "IoFreeIrp")) return;
  IrpPacket* packet = packet_of(irp);
  if (packet && packet->end == End::Manager) {
    machine_.report_violation(Violation::IrpFreedInUse,
                              "IoFreeIrp was given an IRP that the I/O manager frees when it is completed");
  }
  free(irp);
}

void Irps::put_back(IrpPacket& packet) {
  packet.next_free = nullptr;
  packet.freed_at = machine_.here_id();
  fill(packet);
  base::happens_before(&packet);  // another driver may write to it next
  base::Guard guard(lock_);
  packet.in_use = false;
  FreeList& list = free_[static_cast<size_t>(packet.stack_size)];
  (list.count++ == 0 ? list.first : list.last->next_free) = &packet;
  list.last = &packet;
}

// A driver that completes an IRP twice writes to its status first. The second completion was the finding.
void Irps::forgive_use(IRP& irp) {
  if (is_freed(reinterpret_cast<uintptr_t>(&irp))) {
    fill(*reinterpret_cast<IrpPacket*>(reinterpret_cast<char*>(&irp) - __builtin_offsetof(IrpPacket, irp)));
  }
}

void Irps::report_used(base::StackId freed_at) {
  machine_.report_violation(Violation::IrpUsedAfterCompletion, "an IRP was written after it was completed or freed",
                            {{"freed", machine_.stacks().get(freed_at)}});
}

void Irps::initialise(IRP& irp, USHORT bytes, CCHAR stack_size) {
  std::memset(&irp, 0, bytes);
  irp.Type = IO_TYPE_IRP;
  irp.Size = bytes;
  irp.StackCount = stack_size;
  irp.CurrentLocation = static_cast<CHAR>(stack_size + 1);
  irp.ThreadListEntry.Flink = irp.ThreadListEntry.Blink = &irp.ThreadListEntry;
  irp.Tail.Overlay.CurrentStackLocation = reinterpret_cast<IO_STACK_LOCATION*>(&irp + 1) + stack_size;
}

void Irps::reuse(IRP& irp, NTSTATUS status) {
  if (!usable(irp, "IoReuseIrp")) return;
  IrpPacket* packet = packet_of(irp);
  if (packet && (packet->sent() || packet->end != End::Driver)) {
    machine_.report_violation(Violation::IrpFreedInUse, packet->sent()
                                                            ? "IoReuseIrp of an IRP that a driver has"
                                                            : "IoReuseIrp of an IRP that IoAllocateIrp did not return");
    return;
  }
  UCHAR flags = irp.AllocationFlags;
  initialise(irp, irp.Size, irp.StackCount);
  irp.AllocationFlags = flags;
  irp.IoStatus.Status = status;
}

bool Irps::usable(const IRP& irp, const char* function) {
  if (is_alive(irp)) return true;
  machine_.report_violation(Violation::IrpFreedInUse,
                            fmt::format("{} was given an IRP that was freed, or something that is none", function));
  return false;
}

void Irps::set_end(IRP& irp, End end, IoRequest* request) {
  IrpPacket* packet = packet_of(irp);
  CHECK(packet);
  packet->end = end;
  packet->request = request;
}

bool Irps::is_freed(uintptr_t address) {
  base::Guard guard(lock_);
  return std::any_of(packets_.begin(), packets_.end(), [address](const IrpPacket* packet) {
    auto first = reinterpret_cast<uintptr_t>(&packet->irp);
    return !packet->in_use && address >= first && address < first + visible_bytes(*packet);
  });
}

size_t Irps::check_unloaded(const DRIVER_OBJECT& driver) {
  size_t left = 0;
  std::vector<base::StackId> used;  // where those IRPs were freed
  {
    base::Guard guard(lock_);
    for (IrpPacket* packet : packets_) {
      if (!packet->in_use) {
        if (!is_filled(*packet)) used.push_back(packet->freed_at);
        fill(*packet);
        continue;
      }
      auto* stack = reinterpret_cast<IO_STACK_LOCATION*>(&packet->irp + 1);
      for (int i = 0; i < packet->stack_size; ++i) {
        if (packet->locations[i].load(std::memory_order_acquire) == kNotSent) continue;
        const DEVICE_OBJECT* device = stack[i].DeviceObject;
        if (device && device->DriverObject == &driver) ++left;
      }
    }
  }
  for (base::StackId freed_at : used) report_used(freed_at);
  for (size_t i = 0; i < left; ++i) {
    machine_.report_violation(Violation::IrpLeaked,
                              "a driver is unloaded and still has an IRP that it did not complete");
  }
  return left;
}

// --- Whose routine it is ---

void Irps::own_routine(const void* routine) {
  if (is_own(routine)) return;
  base::Guard guard(lock_);
  size_t count = own_count_.load(std::memory_order_relaxed);
  CHECK(count < kMaxOwn);
  own_[count] = routine;
  own_count_.store(count + 1, std::memory_order_release);
}

bool Irps::is_own(const void* routine) const {
  size_t count = own_count_.load(std::memory_order_acquire);
  return std::find(own_.begin(), own_.begin() + count, routine) != own_.begin() + count;
}

void Irps::assign_scope(const DRIVER_OBJECT& driver, Scope* scope) {
  base::Guard guard(lock_);
  std::erase_if(scopes_, [&](const DriverScope& known) { return known.driver == &driver; });
  if (scope) scopes_.push_back({&driver, scope});
}

Scope* Irps::scope_of(const DEVICE_OBJECT* device) {
  if (!device) return nullptr;
  const DRIVER_OBJECT* driver = device->DriverObject;
  base::Guard guard(lock_);
  auto at =
      std::find_if(scopes_.begin(), scopes_.end(), [&](const DriverScope& known) { return known.driver == driver; });
  return at == scopes_.end() ? nullptr : at->scope;
}

// --- Cancelling ---

KIRQL Irps::acquire_cancel_lock() {
  KIRQL old = machine_.self().irql;
  if (old < DISPATCH_LEVEL) machine_.raise_irql(DISPATCH_LEVEL);
  acquire_spin(machine_, &cancel_lock_, LockKind::Spin);
  return old;
}

void Irps::release_cancel_lock(KIRQL irql) {
  release_spin(machine_, &cancel_lock_, LockKind::Spin);
  KIRQL now = machine_.self().irql;
  if (irql > now) {
    machine_.report_violation(Violation::LockIrqlMismatch, "IoReleaseCancelSpinLock was told to restore a higher IRQL");
  } else if (irql < now) {
    machine_.lower_irql(irql);
  }
}

bool Irps::cancel(IRP& irp) {
  if (!usable(irp, "IoCancelIrp")) return false;
  KIRQL old = acquire_cancel_lock();
  irp.Cancel = TRUE;
  PDRIVER_CANCEL routine = __atomic_exchange_n(&irp.CancelRoutine, nullptr, __ATOMIC_ACQ_REL);
  if (!routine) {
    release_cancel_lock(old);
    return false;
  }
  irp.CancelIrql = old;
  run_cancel(routine, irp);
  return true;
}

// With the cancel spin lock held, which the routine releases; after that the IRP may be gone.
void Irps::run_cancel(PDRIVER_CANCEL routine, IRP& irp) {
  bool on_stack = irp.CurrentLocation <= irp.StackCount;
  DEVICE_OBJECT* device = on_stack ? IoGetCurrentIrpStackLocation(&irp)->DeviceObject : nullptr;
  if (is_own(reinterpret_cast<const void*>(routine))) {
    routine(device, &irp);
    return;
  }
  KIRQL restored = irp.CancelIrql;
  Scope* scope = scope_of(device);
  DriverCall call(machine_, "cancel routine", scope);
  call.hands_over_lock(restored);
  if (machine_.traces()) call.entering({traced_argument(device), traced_argument(&irp)});
  base::watch_races();
  routine(device, &irp);
  base::stop_watching_races();
}

}  // namespace nt
