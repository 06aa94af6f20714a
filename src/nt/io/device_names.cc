#include "nt/io/device_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "nt/io/device_objects.h"
#include "nt/machine/machine.h"
#include "nt/rtl/case_map.h"

namespace nt {
namespace {

std::u16string folded(std::u16string_view name) {
  std::u16string key(name);
  for (char16_t& c : key) c = static_cast<char16_t>(upcase(static_cast<WCHAR>(c)));
  return key;
}

std::u16string wide(const std::string& ascii) { return {ascii.begin(), ascii.end()}; }

bool same(const GUID& a, const GUID& b) { return std::memcmp(&a, &b, sizeof(GUID)) == 0; }

std::string guid_text(const GUID& guid) {
  return fmt::format("{{{:08x}-{:04x}-{:04x}-{:02x}{:02x}-{:02x}{:02x}{:02x}{:02x}{:02x}{:02x}}}", guid.Data1,
                     guid.Data2, guid.Data3, guid.Data4[0], guid.Data4[1], guid.Data4[2], guid.Data4[3], guid.Data4[4],
                     guid.Data4[5], guid.Data4[6], guid.Data4[7]);
}

// A name matches a path that begins with it, followed by the end or a path separator.
bool leads(std::u16string_view name, std::u16string_view path) {
  return path.starts_with(name) && (path.size() == name.size() || path[name.size()] == u'\\');
}

}  // namespace

// --- Links ---

base::Result<> DeviceNames::add_link(std::u16string_view link, std::u16string_view target) {
  auto made = std::make_unique<Link>(Link{{}, folded(link), std::u16string(target)});
  Tracked& tracked = made->tracked;
  tracked.kind = ResourceKind::SymbolicLink;
  {
    base::Guard guard(lock_);
    for (const auto& known : links_) {
      if (known->name != made->name) continue;
      return base::Failure(STATUS_OBJECT_NAME_COLLISION, "a symbolic link of that name exists");
    }
    links_.push_back(std::move(made));
  }
  machine_.track(tracked);
  return {};
}

base::Result<> DeviceNames::remove_link(std::u16string_view link) {
  std::u16string name = folded(link);
  std::unique_ptr<Link> removed;
  {
    base::Guard guard(lock_);
    auto at = std::find_if(links_.begin(), links_.end(), [&](const auto& known) { return known->name == name; });
    if (at == links_.end()) {
      return base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "there is no symbolic link of that name");
    }
    removed = std::move(*at);
    links_.erase(at);
  }
  machine_.untrack(removed->tracked);
  return {};
}

// --- Interfaces ---

base::Result<DeviceNames::Registered> DeviceNames::add_interface(DEVICE_OBJECT& device, const GUID& guid,
                                                                 std::u16string_view reference) {
  if (!machine_.devices().hold(&device)) {
    return base::Failure(STATUS_INVALID_DEVICE_REQUEST, "an interface of something that is no device");
  }
  machine_.devices().release(&device);
  if (reference.find_first_of(u"\\/") != reference.npos) {
    return base::Failure(STATUS_INVALID_DEVICE_REQUEST, "a reference string with a path separator");
  }
  const std::u16string its_reference(reference);  // the driver's memory is not read under the lock
  base::Guard guard(lock_);
  auto number = std::find(numbered_.begin(), numbered_.end(), &device);
  if (number == numbered_.end()) number = numbered_.insert(number, &device);
  std::u16string base = wide(fmt::format("\\??\\DRYDOCK#{:04}#{}", number - numbered_.begin() + 1, guid_text(guid)));
  std::u16string link = base;
  if (!its_reference.empty()) link.append(u"\\").append(its_reference);
  if (find_interface(link)) return Registered{link, true};
  interfaces_.push_back({guid, &device, its_reference, base, link, false});
  return Registered{link, false};
}

DeviceNames::Interface* DeviceNames::find_interface(std::u16string_view link) {
  std::u16string name = folded(link);
  auto at = std::find_if(interfaces_.begin(), interfaces_.end(),
                         [&](const Interface& known) { return folded(known.link) == name; });
  return at == interfaces_.end() ? nullptr : &*at;
}

base::Result<bool> DeviceNames::enable_interface(std::u16string_view given, bool enabled) {
  const std::u16string link(given);
  base::Guard guard(lock_);
  Interface* found = find_interface(link);
  if (!found || (!enabled && !found->enabled)) {
    return base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "the device interface is not registered, or not enabled");
  }
  return std::exchange(found->enabled, enabled);
}

std::vector<std::u16string> DeviceNames::enabled_interfaces(const GUID& guid) {
  base::Guard guard(lock_);
  std::vector<std::u16string> links;
  for (const Interface& known : interfaces_) {
    if (known.enabled && same(known.guid, guid)) links.push_back(known.link);
  }
  return links;
}

// --- Looking up ---

base::Result<DeviceNames::Found> DeviceNames::find(std::u16string_view path) {
  if (auto found = through_interface(path)) return *found;
  std::u16string target(path);
  {
    std::u16string name = folded(path);
    base::Guard guard(lock_);
    for (const auto& link : links_) {
      if (!leads(link->name, name)) continue;
      target = link->target + std::u16string(path.substr(link->name.size()));
      break;
    }
  }
  if (auto found = by_device_name(target)) return *found;
  return base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "there is no device of that name");
}

// The reference string is the beginning of the file's name, so that the driver can tell its interfaces apart.
std::optional<DeviceNames::Found> DeviceNames::through_interface(std::u16string_view path) {
  std::u16string name = folded(path);
  base::Guard guard(lock_);
  for (const Interface& known : interfaces_) {
    if (known.enabled && leads(folded(known.link), name)) {
      return Found{known.device, std::u16string(path.substr(known.base.size()))};
    }
  }
  return {};
}

std::optional<DeviceNames::Found> DeviceNames::by_device_name(std::u16string_view path) {
  for (size_t end = path.size(); end != path.npos && end != 0; end = path.rfind(u'\\', end - 1)) {
    DEVICE_OBJECT* device = machine_.devices().find_name(path.substr(0, end));
    if (device) return Found{device, std::u16string(path.substr(end))};
  }
  return {};
}

}  // namespace nt
