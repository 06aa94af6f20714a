#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/km/wdm.h"
#include "base/mutex.h"
#include "base/result.h"

namespace nt {

struct RegistryValue {
  std::u16string name;  // empty: the key's own value
  uint32_t type = REG_NONE;
  std::vector<uint8_t> data;
};

// A key. Owned by its registry, which keeps it until its own end, so that a handle to a deleted key stays valid.
// Guarded by the registry's lock.
struct RegistryKey {
  std::u16string name;
  std::u16string class_name;
  RegistryKey* parent = nullptr;
  std::map<std::u16string, RegistryKey*> children;  // by name in upper case, in the order in which they are enumerated
  std::vector<RegistryValue> values;                // in the order in which they were first set
  uint64_t last_write = 0;
  uint32_t ordinal = 0;
  bool deleted = false;
};

// Counts, lengths and times of a key. Lengths in bytes.
struct RegistryKeyFacts {
  std::u16string name, class_name, path;
  uint64_t last_write = 0;
  size_t subkeys = 0, longest_name = 0, longest_class = 0;
  size_t values = 0, longest_value_name = 0, longest_data = 0;
};

// The registry of one machine: a tree of keys below \Registry, names compared without case. Empty but for the keys that
// every Windows has; what a run needs is set by the host, or loaded from text (registry_text.h). There is no disk
// behind it and there are no links: CurrentControlSet is a key like others. Owned by the machine; any thread.
class Registry {
 public:
  using Clock = std::function<uint64_t()>;  // system time, for the keys' last write
  explicit Registry(Clock clock);

  // --- For the host: paths from \Registry on; keys that are missing are made ---
  base::Result<> set_value(std::u16string_view path, std::u16string_view name, uint32_t type,
                           std::span<const uint8_t> data);
  base::Result<> set_string(std::u16string_view path, std::u16string_view name, std::u16string_view text);
  base::Result<> set_dword(std::u16string_view path, std::u16string_view name, uint32_t number);
  base::Result<RegistryKey*> make_path(std::u16string_view path);
  // Where the keys of a physical device object are, for IoOpenDeviceRegistryKey.
  void assign_device(const DEVICE_OBJECT* device, std::u16string hardware_path, std::u16string software_path);
  // Empty when none was assigned.
  std::u16string device_path(const DEVICE_OBJECT* device, bool hardware);

  // --- For the functions: `root` null means a path from \Registry on ---
  base::Result<RegistryKey*> open(RegistryKey* root, std::u16string_view path);
  struct Created {
    RegistryKey* key;
    bool fresh;
  };
  // Makes the last key of the path at most.
  base::Result<Created> create(RegistryKey* root, std::u16string_view path, std::u16string_view class_name);
  base::Result<> remove(RegistryKey& key);
  base::Result<RegistryKeyFacts> facts(const RegistryKey& key);
  base::Result<RegistryKeyFacts> subkey_at(const RegistryKey& key, size_t index);
  base::Result<> set(RegistryKey& key, std::u16string_view name, uint32_t type, std::span<const uint8_t> data);
  base::Result<> remove_value(RegistryKey& key, std::u16string_view name);
  base::Result<RegistryValue> value(const RegistryKey& key, std::u16string_view name);
  base::Result<RegistryValue> value_at(const RegistryKey& key, size_t index);

 private:
  struct Place {
    RegistryKey* key;             // the last one that is there
    std::u16string_view missing;  // what of the path is not
  };
  base::Result<Place> walk(RegistryKey* root, std::u16string_view path) REQUIRES(lock_);
  RegistryKey& add(RegistryKey* parent, std::u16string_view name) REQUIRES(lock_);
  RegistryKeyFacts facts_of(const RegistryKey& key) REQUIRES(lock_);

  struct DevicePaths {
    std::u16string hardware, software;
  };

  Clock clock_;
  base::Mutex<base::LockRank::Table> lock_;
  std::deque<RegistryKey> keys_ GUARDED_BY(lock_);  // never moved; the first is \Registry
  std::map<const DEVICE_OBJECT*, DevicePaths> devices_ GUARDED_BY(lock_);
};

}  // namespace nt
