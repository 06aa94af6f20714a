#pragma once

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

// The names under which devices can be found besides their own: symbolic links and device interfaces. Owned by the
// machine; any of its threads.
class DeviceNames {
 public:
  explicit DeviceNames(Machine& machine) : machine_(machine) {}

  // A link is on the list of what the driver obtained until it is removed. STATUS_OBJECT_NAME_COLLISION;
  // STATUS_OBJECT_NAME_NOT_FOUND.
  base::Result<> add_link(std::u16string_view link, std::u16string_view target);
  base::Result<> remove_link(std::u16string_view link);

  struct Registered {
    std::u16string link;
    bool existed;
  };
  // The name's form is ours: drivers are told to treat it as opaque. STATUS_INVALID_DEVICE_REQUEST when it is no device
  // or the reference string has a path separator.
  base::Result<Registered> add_interface(DEVICE_OBJECT& device, const GUID& guid, std::u16string_view reference);
  // STATUS_OBJECT_NAME_NOT_FOUND when it is disabled and was not enabled. The value: whether it was enabled before.
  base::Result<bool> enable_interface(std::u16string_view link, bool enabled);
  // The links of a class that are enabled, in the order of their registration.
  std::vector<std::u16string> enabled_interfaces(const GUID& guid);

  struct Found {
    DEVICE_OBJECT* device;
    std::u16string rest;  // what follows the device's name: the name of the file on it
  };
  // The device that `path` leads to: its own name, a link or an enabled interface. The device may go; it is not held.
  base::Result<Found> find(std::u16string_view path);

 private:
  struct Link {
    Tracked tracked;
    std::u16string name;  // in upper case
    std::u16string target;
  };
  struct Interface {
    GUID guid;
    DEVICE_OBJECT* device;
    std::u16string reference;
    std::u16string base;  // the link without the reference string
    std::u16string link;
    bool enabled;
  };

  Interface* find_interface(std::u16string_view link) REQUIRES(lock_);
  std::optional<Found> through_interface(std::u16string_view path);
  std::optional<Found> by_device_name(std::u16string_view path);

  Machine& machine_;
  base::Mutex<base::LockRank::Table> lock_;
  std::vector<std::unique_ptr<Link>> links_ GUARDED_BY(lock_);
  std::vector<Interface> interfaces_ GUARDED_BY(lock_);
  std::vector<const DEVICE_OBJECT*> numbered_ GUARDED_BY(lock_);  // a device's place here is its number in names
};

}  // namespace nt
