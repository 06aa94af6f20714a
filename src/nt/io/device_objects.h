#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/km/wdm.h"
#include "base/mutex.h"
#include "base/result.h"
#include "nt/machine/scope.h"

namespace nt {

class Machine;

// The interrupt that a device was given.
struct InterruptLine {
  uint32_t vector;
  KIRQL irql;
};

// Every device object of the machine. The objects lie in the machine's memory, where drivers see them; what only the
// kernel knows of them is here. An object that is deleted while it is referenced goes with its last reference, as
// documented. Owned by the machine; any of its threads.
class DeviceObjects {
 public:
  explicit DeviceObjects(Machine& machine) : machine_(machine) {}

  struct Request {
    DRIVER_OBJECT& driver;
    size_t extension_bytes;
    std::u16string_view name;  // empty: none
    DEVICE_TYPE type;
    ULONG characteristics;
    bool exclusive;
  };
  // STATUS_OBJECT_NAME_COLLISION, STATUS_INSUFFICIENT_RESOURCES.
  base::Result<DEVICE_OBJECT*> create(const Request& request);
  // IoDeleteDevice. Violation::NotInitialised when it is no device object, or was deleted before;
  // Violation::DeviceAttached when it is still attached to another one.
  void remove(DEVICE_OBJECT* device);

  // Adds `source` to the top of the stack that `target` is in; returns what was the top. Null when either is none.
  // From then on `source` holds a reference to the device below it.
  DEVICE_OBJECT* attach(DEVICE_OBJECT& source, DEVICE_OBJECT& target);
  // Detaches the device directly above `target`. Violation::NotInitialised when `target` is no device object.
  void detach(DEVICE_OBJECT& target);
  // The top of the stack that `device` is in, held if `held`.
  enum class Held : uint8_t { No, Yes };
  DEVICE_OBJECT* top(DEVICE_OBJECT& device, Held held = Held::No);

  // Opens it: it is held until close(). STATUS_NO_SUCH_DEVICE, or STATUS_ACCESS_DENIED when it is exclusive and open.
  base::Result<> open(DEVICE_OBJECT& device);
  void close(DEVICE_OBJECT& device);
  // By the name it was created with, in any case. Null: none.
  DEVICE_OBJECT* find_name(std::u16string_view name);
  std::u16string name_of(const DEVICE_OBJECT& device);  // in upper case; empty: none

  // What IoGetDeviceProperty returns for a physical device object. Set by the code that made the device.
  void set_property(DEVICE_OBJECT& device, DEVICE_REGISTRY_PROPERTY property, std::vector<uint8_t> value);
  // STATUS_INVALID_DEVICE_REQUEST when it is no device, STATUS_OBJECT_NAME_NOT_FOUND when nothing was set.
  base::Result<std::vector<uint8_t>> property(const DEVICE_OBJECT* device, DEVICE_REGISTRY_PROPERTY property);
  // PoSetPowerState: returns the state before.
  POWER_STATE set_power(const DEVICE_OBJECT* device, POWER_STATE state);

  // Keeps the object in memory from hold to release. False, and nothing is held, when it is no device object.
  bool hold(const void* device);
  void release(const void* device);

  // The line of a physical device object, for IoConnectInterruptEx. Set by the code that made the device.
  void assign_line(DEVICE_OBJECT& device, InterruptLine line);
  std::optional<InterruptLine> line(const DEVICE_OBJECT* device);

 private:
  struct Entry {
    DEVICE_OBJECT* object = nullptr;
    void* extension = nullptr;  // the driver could overwrite its own copy
    size_t extension_bytes = 0;
    std::u16string name;  // in upper case
    std::optional<InterruptLine> line;
    std::map<DEVICE_REGISTRY_PROPERTY, std::vector<uint8_t>> properties;
    POWER_STATE power = {.DeviceState = PowerDeviceUnspecified};
    DEVICE_OBJECT* below = nullptr;  // what it is attached to, which it holds
    base::StackId attached_at = 0;
    uint32_t holds = 1;  // one until it is deleted
    bool deleted = false;
    Tracked tracked;
  };

  // An object that is on no list yet; null when there is no memory.
  std::unique_ptr<Entry> make(const Request& request);
  Entry* find(const void* device) REQUIRES(lock_);
  // Detaches the device directly above; returns whether there was one.
  bool take_off(DEVICE_OBJECT& below) REQUIRES(lock_);
  bool taken(const std::u16string& name) REQUIRES(lock_);
  // Releases one reference, and takes the object out of the list if it was the last.
  std::unique_ptr<Entry> let_go(Entry& entry) REQUIRES(lock_);
  void destroy(const Entry& entry);
  static void unlink(DEVICE_OBJECT& device);

  Machine& machine_;
  base::Mutex<base::LockRank::Table> lock_;
  std::vector<std::unique_ptr<Entry>> entries_ GUARDED_BY(lock_);
};

}  // namespace nt
