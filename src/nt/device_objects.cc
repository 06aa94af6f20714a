#include "nt/device_objects.h"

#include <algorithm>

#include "nt/case_map.h"
#include "nt/kernel_body.h"
#include "nt/machine.h"

namespace nt {
namespace {

constexpr CSHORT kDeviceType = 3;  // DEVICE_OBJECT.Type, as documented

std::u16string folded(std::u16string_view name) {
  std::u16string key(name);
  for (char16_t& c : key) c = static_cast<char16_t>(upcase(static_cast<WCHAR>(c)));
  return key;
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
  {
    base::Guard guard(lock_);
    removed = find(device);
    if (removed && removed->deleted) removed = nullptr;
    if (removed) {
      removed->deleted = true;
      removed->name.clear();
      unlink(*device);
    }
  }
  if (!removed) {
    machine_.broke(Broke::NotInitialised,
                   "IoDeleteDevice was given something that is no device object, or was deleted");
    return;
  }
  machine_.untrack(removed->tracked);
  release(device);
}

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
