#include "host/scenarios/nt/nt_driver.h"

#include <fmt/format.h>

#include <cstring>

#include "nt/boundary/driver_call.h"
#include "nt/ex/work_queues.h"
#include "nt/io/irps.h"
#include "nt/ke/dispatcher.h"
#include "nt/mm/pool.h"
#include "nt/store/registry.h"

namespace host {
namespace {

// A UNICODE_STRING with its characters behind it, at a fixed address.
UNICODE_STRING* make_string(nt::Machine& machine, const std::string& ascii) {
  size_t bytes = ascii.size() * sizeof(char16_t);
  void* memory = machine.pool().allocate(sizeof(UNICODE_STRING) + bytes + sizeof(char16_t), 0, nt::PoolKind::Internal,
                                         nt::PoolFill::Zero);
  CHECK(memory);
  auto* string = static_cast<UNICODE_STRING*>(memory);
  string->Length = static_cast<USHORT>(bytes);
  string->MaximumLength = static_cast<USHORT>(bytes + sizeof(char16_t));
  string->Buffer = reinterpret_cast<PWSTR>(string + 1);
  for (size_t i = 0; i < ascii.size(); ++i)
    string->Buffer[i] = static_cast<WCHAR>(static_cast<unsigned char>(ascii[i]));
  return string;
}

template <typename T>
T* make_internal(nt::Machine& machine) {
  void* memory = machine.pool().allocate(sizeof(T), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  return new (memory) T{};
}

}  // namespace

NtDriver::NtDriver(nt::Machine& machine, const DriverImage& image)
    : machine_(machine),
      image_(image),
      scope_(nt::ScopeKind::Driver, image.name(), &machine.root_scope()),
      object_(make_internal<DRIVER_OBJECT>(machine)),
      registry_path_(
          make_string(machine, "\\Registry\\Machine\\System\\CurrentControlSet\\Services\\" + image.name())) {
  object_->DriverExtension = make_internal<DRIVER_EXTENSION>(machine);
  object_->DriverInit = image.driver_entry();
  machine.irps().assign_scope(*object_, &scope_);
  const auto* path = reinterpret_cast<const char16_t*>(registry_path_->Buffer);
  machine.registry().make_path({path, registry_path_->Length / sizeof(char16_t)}).take();
}

NTSTATUS NtDriver::load() {
  NTSTATUS status = nt::call_driver(machine_, "DriverEntry", &scope_, image_.driver_entry(), object_, registry_path_);
  if (status < 0) judge_remains();
  // As documented, the I/O manager does this for the devices that DriverEntry made.
  for (DEVICE_OBJECT* device = object_->DeviceObject; device && status >= 0; device = device->NextDevice) {
    device->Flags &= ~ULONG{DO_DEVICE_INITIALIZING};
  }
  return status;
}

bool NtDriver::unload() {
  if (!object_->DriverUnload) return false;
  nt::call_driver(machine_, "DriverUnload", &scope_, object_->DriverUnload, object_);
  judge_remains();
  return true;
}

void NtDriver::judge_remains() {
  machine_.irps().check_unloaded(*object_);
  for (const nt::Thread* thread : machine_.threads()) {
    if (!thread->system || thread->terminated) continue;
    machine_.report_violation(
        nt::Violation::ThreadAfterUnload,
        fmt::format("thread '{}' of the driver still runs when its image goes away", thread->name));
    machine_.stop();  // its code is gone: nothing that follows would mean anything
  }
  base::AddressRange image = image_.range();
  machine_.work_queues().image_gone(image.lo, image.hi);
  machine_.dispatcher().memory_gone(image.lo, image.hi, nt::Dispatcher::Gone::Unloaded, "the driver's image");
  machine_.observer().memory_gone(image.lo, image.hi);
  machine_.end_scope(scope_);
  machine_.pool().check_all();
}

}  // namespace host
