#include "nt/io/device_objects.h"

#include <algorithm>
#include <utility>

#include "nt/ex/kernel_body.h"
#include "nt/ke/dispatcher.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"
#include "nt/mm/touch.h"
#include "nt/rtl/case_map.h"

namespace nt {
namespace {

constexpr CSHORT kDeviceType = 3;  // DEVICE_OBJECT.Type, as documented

std::u16string folded(std::u16string_view name) {
  std::u16string key(name);
  for (char16_t& c : key) c = static_cast<char16_t>(upcase(static_cast<WCHAR>(c)));
  return key;
}

DEVICE_OBJECT* top_of(DEVICE_OBJECT& device) {
  DEVICE_OBJECT* top = &device;
  while (top->AttachedDevice) top = top->AttachedDevice;
  return top;
}

}  // namespace

base::Result<DEVICE_OBJECT*> DeviceObjects::create(const Request& request) {
  auto made = make(request);
  if (!made) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a device object");
  Entry& entry = *made;
  bool collision;
  {
    base::Guard guard(lock_);
    collision = !entry.name.empty() && taken(entry.name);
    if (!collision) {
      entry.object->NextDevice = request.driver.DeviceObject;
      request.driver.DeviceObject = entry.object;
      entries_.push_back(std::move(made));
    }
  }
  if (collision) {
    destroy(entry);
    return base::Failure(STATUS_OBJECT_NAME_COLLISION, "a device object of that name exists");
  }
  machine_.track(entry.tracked);
  return entry.object;
}

std::unique_ptr<DeviceObjects::Entry> DeviceObjects::make(const Request& request) {
  void* memory = allocate_body(machine_, sizeof(DEVICE_OBJECT));
  if (!memory) return nullptr;
  void* extension = nullptr;
  if (request.extension_bytes && !(extension = allocate_body(machine_, request.extension_bytes))) {
    machine_.pool().free(memory, 0);
    return nullptr;
  }
  auto* device = new (memory) DEVICE_OBJECT{};
  device->Type = kDeviceType;
  device->Size = static_cast<USHORT>(sizeof(DEVICE_OBJECT) + request.extension_bytes);
  device->DriverObject = &request.driver;
  device->Flags = DO_DEVICE_INITIALIZING | (request.exclusive ? ULONG{DO_EXCLUSIVE} : 0);
  device->Characteristics = request.characteristics;
  device->DeviceExtension = extension;
  device->DeviceType = request.type;
  device->StackSize = 1;
  auto entry = std::make_unique<Entry>();
  entry->object = device;
  entry->extension = extension;
  entry->extension_bytes = request.extension_bytes;
  entry->name = folded(request.name);
  entry->tracked.kind = ResourceKind::Device;
  return entry;
}

void DeviceObjects::remove(DEVICE_OBJECT* device) {
  Entry* removed;
  DEVICE_OBJECT* below = nullptr;
  base::StackId attached_at = 0;
  {
    base::Guard guard(lock_);
    removed = find(device);
    if (removed && removed->deleted) removed = nullptr;
    if (removed && removed->below) {
      below = removed->below;
      attached_at = removed->attached_at;
      take_off(*below);
    }
    if (removed) {
      removed->deleted = true;
      removed->name.clear();
      unlink(*device);
    }
  }
  if (!removed) {
    machine_.report_violation(Violation::NotInitialised,
                              "IoDeleteDevice was given something that is no device object, or was deleted");
    return;
  }
  if (below) {
    machine_.report_violation(Violation::DeviceAttached,
                              "IoDeleteDevice of a device that is attached to another one: IoDetachDevice "
                              "comes first",
                              {{"attached", machine_.stacks().get(attached_at)}});
    release(below);
  }
  machine_.untrack(removed->tracked);
  release(device);
}

// --- Stacks ---

DEVICE_OBJECT* DeviceObjects::attach(DEVICE_OBJECT& source, DEVICE_OBJECT& target) {
  base::StackId here = machine_.here_id();
  base::Guard guard(lock_);
  Entry* above = find(&source);
  if (!above || !find(&target)) return nullptr;
  DEVICE_OBJECT* below = top_of(target);
  Entry* held = find(below);
  if (below == &source || !held) return nullptr;
  above->below = below;
  above->attached_at = here;
  ++held->holds;
  below->AttachedDevice = &source;
  source.StackSize = static_cast<CCHAR>(below->StackSize + 1);
  source.AlignmentRequirement = below->AlignmentRequirement;
  return below;
}

void DeviceObjects::detach(DEVICE_OBJECT& target) {
  bool known, detached = false;
  {
    base::Guard guard(lock_);
    known = find(&target) != nullptr;
    if (known) detached = take_off(target);
  }
  if (!known) {
    machine_.report_violation(Violation::NotInitialised,
                              "IoDetachDevice was given something that is no device object, or no longer");
  }
  if (detached) release(&target);
}

bool DeviceObjects::take_off(DEVICE_OBJECT& below) {
  Entry* above = find(std::exchange(below.AttachedDevice, nullptr));
  if (!above || above->below != &below) return false;
  above->below = nullptr;
  return true;
}

DEVICE_OBJECT* DeviceObjects::top(DEVICE_OBJECT& device, Held held) {
  touch(device);
  base::Guard guard(lock_);
  DEVICE_OBJECT* above = top_of(device);
  if (held == Held::Yes) {
    if (Entry* entry = find(above)) ++entry->holds;
  }
  return above;
}

// --- Opening ---

base::Result<> DeviceObjects::open(DEVICE_OBJECT& device) {
  base::Guard guard(lock_);
  Entry* entry = find(&device);
  if (!entry || entry->deleted) return base::Failure(STATUS_NO_SUCH_DEVICE, "the device does not exist, or no longer");
  if (device.Flags & DO_EXCLUSIVE && device.ReferenceCount > 0) {
    return base::Failure(STATUS_ACCESS_DENIED, "the device is exclusive and open");
  }
  ++device.ReferenceCount;
  ++entry->holds;
  return {};
}

void DeviceObjects::close(DEVICE_OBJECT& device) {
  touch_for_writing(device);
  {
    base::Guard guard(lock_);
    --device.ReferenceCount;
  }
  release(&device);
}

DEVICE_OBJECT* DeviceObjects::find_name(std::u16string_view name) {
  std::u16string key = folded(name);
  base::Guard guard(lock_);
  auto at = std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry->name == key; });
  return at == entries_.end() || key.empty() ? nullptr : (*at)->object;
}

std::u16string DeviceObjects::name_of(const DEVICE_OBJECT& device) {
  base::Guard guard(lock_);
  const Entry* entry = find(&device);
  return entry ? entry->name : std::u16string();
}

// --- Properties ---

void DeviceObjects::set_property(DEVICE_OBJECT& device, DEVICE_REGISTRY_PROPERTY property, std::vector<uint8_t> value) {
  base::Guard guard(lock_);
  Entry* entry = find(&device);
  CHECK(entry);
  entry->properties[property] = std::move(value);
}

base::Result<std::vector<uint8_t>> DeviceObjects::property(const DEVICE_OBJECT* device,
                                                           DEVICE_REGISTRY_PROPERTY property) {
  base::Guard guard(lock_);
  Entry* entry = find(device);
  if (!entry) return base::Failure(STATUS_INVALID_DEVICE_REQUEST, "a property of something that is no device");
  auto at = entry->properties.find(property);
  if (at == entry->properties.end()) {
    return base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "the device does not have that property");
  }
  return at->second;
}

POWER_STATE DeviceObjects::set_power(const DEVICE_OBJECT* device, POWER_STATE state) {
  base::Guard guard(lock_);
  Entry* entry = find(device);
  return entry ? std::exchange(entry->power, state) : state;
}

// --- Holding ---

bool DeviceObjects::hold(const void* device) {
  base::Guard guard(lock_);
  Entry* entry = find(device);
  if (entry) ++entry->holds;
  return entry != nullptr;
}

void DeviceObjects::release(const void* device) {
  std::unique_ptr<Entry> gone;
  {
    base::Guard guard(lock_);
    if (Entry* entry = find(device)) gone = let_go(*entry);
  }
  if (gone) destroy(*gone);
}

std::unique_ptr<DeviceObjects::Entry> DeviceObjects::let_go(Entry& entry) {
  if (--entry.holds != 0) return nullptr;
  auto at = std::find_if(entries_.begin(), entries_.end(), [&](const auto& other) { return other.get() == &entry; });
  std::unique_ptr<Entry> gone = std::move(*at);
  entries_.erase(at);
  return gone;
}

void DeviceObjects::destroy(const Entry& entry) {
  if (entry.extension) {
    auto lo = reinterpret_cast<uintptr_t>(entry.extension);
    machine_.dispatcher().memory_gone(lo, lo + entry.extension_bytes, Dispatcher::Gone::Freed, "the device extension");
    machine_.pool().free(entry.extension, 0);
  }
  machine_.pool().free(entry.object, 0);
}

void DeviceObjects::assign_line(DEVICE_OBJECT& device, InterruptLine line) {
  base::Guard guard(lock_);
  Entry* entry = find(&device);
  CHECK(entry);
  entry->line = line;
}

std::optional<InterruptLine> DeviceObjects::line(const DEVICE_OBJECT* device) {
  base::Guard guard(lock_);
  const Entry* entry = find(device);
  return entry ? entry->line : std::nullopt;
}

DeviceObjects::Entry* DeviceObjects::find(const void* device) {
  auto at = std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry->object == device; });
  return at == entries_.end() ? nullptr : at->get();
}

bool DeviceObjects::taken(const std::u16string& name) {
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry->name == name; });
}

void DeviceObjects::unlink(DEVICE_OBJECT& device) {
  PDEVICE_OBJECT* at = &device.DriverObject->DeviceObject;
  while (*at && *at != &device) at = &(*at)->NextDevice;
  if (*at) *at = device.NextDevice;
}

}  // namespace nt
