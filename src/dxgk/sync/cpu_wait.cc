#include "dxgk/sync/cpu_wait.h"

#include "dxgk/adapter/kernel.h"
#include "dxgk/object/device.h"
#include "nt/machine/machine.h"

namespace dxgk {
namespace {

std::vector<base::Ref<SyncObject>> objects_of(std::span<const FenceValue> fences) {
  std::vector<base::Ref<SyncObject>> objects;
  objects.reserve(fences.size());
  for (const FenceValue& each : fences) objects.push_back(each.object);
  return objects;
}

base::Result<> check_usable(Device& device) {
  ParkingLock lock(device.mutex());
  return device.usable();
}

}  // namespace

CpuWait::CpuWait(Device& device, std::span<const FenceValue> fences, std::optional<base::Ref<ClientEvent>> event)
    : fences_(device.adapter().kernel().fences()),
      device_(device),
      objects_(objects_of(fences)),
      event_(std::move(event)) {}

base::Result<> CpuWait::block(Device& device, std::span<const FenceValue> fences, Need need) {
  base::Ref<CpuWait> wait = TRY(start(device, fences, need, {}));
  nt::UnlimitedWait unlimited;
  wait->done_.wait(device.machine());
  return wait->outcome();
}

base::Result<> CpuWait::notify(Device& device, std::span<const FenceValue> fences, Need need,
                               base::Ref<ClientEvent> event) {
  TRY(start(device, fences, need, std::move(event)));
  return {};
}

// The device's state is read twice. A thread that loses the device marks it first and then looks for waits: so either
// the loss is seen here, or the wait is seen there.
base::Result<base::Ref<CpuWait>> CpuWait::start(Device& device, std::span<const FenceValue> fences, Need need,
                                                std::optional<base::Ref<ClientEvent>> event) {
  TRY(check_usable(device));
  base::Ref<CpuWait> wait = base::Ref<CpuWait>::adopt(new CpuWait(device, fences, std::move(event)));
  if (wait->begin_listed(fences, need)) {
    TRY(wait->outcome());
    wait->wake();
    return wait;
  }
  base::Result<> still = check_usable(device);
  if (!still.ok()) {
    base::Guard guard(wait->fences_.lock());
    if (wait->cancel()) {
      wait->fences_.unlist(*wait);
      return still.failure();
    }
  }
  return wait;
}

bool CpuWait::begin_listed(std::span<const FenceValue> fences, Need need) {
  std::vector<Condition> conditions;
  conditions.reserve(fences.size());
  base::Guard guard(fences_.lock());
  for (const FenceValue& each : fences) conditions.push_back({&each.object->state(), each.value});
  if (begin(conditions, need)) return true;
  fences_.list(*this);
  return false;
}

void CpuWait::wake() {
  {
    base::Guard guard(fences_.lock());
    fences_.unlist(*this);
  }
  if (event_) {
    (*event_)->set();
  } else {
    done_.complete(fences_.machine());
  }
}

base::Result<> CpuWait::outcome() {
  base::Guard guard(fences_.lock());
  switch (state()) {
    case State::Satisfied:
      return {};
    case State::Cancelled:
      return base::Failure(STATUS_DEVICE_REMOVED, "the device was lost while a thread waited through it");
    case State::Lost:
      return base::Failure(STATUS_INVALID_PARAMETER, "an object that is waited for has been destroyed");
    case State::Idle:
    case State::Waiting:
      break;
  }
  CHECK(false);
}

}  // namespace dxgk
