#include "nt/store/registry.h"

#include <algorithm>

#include "nt/rtl/case_map.h"

namespace nt {
namespace {

// Documented limits (win32: registry element size limits), in characters.
constexpr size_t kLongestKeyName = 255;
constexpr size_t kLongestValueName = 16383;

constexpr std::u16string_view kRoot = u"Registry";
constexpr std::u16string_view kAlways[] = {
    u"\\Registry\\Machine\\Hardware\\DeviceMap",
    u"\\Registry\\Machine\\Software\\Microsoft\\Windows NT\\CurrentVersion",
    u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class",
    u"\\Registry\\Machine\\System\\CurrentControlSet\\Enum",
    u"\\Registry\\Machine\\System\\CurrentControlSet\\Services",
    u"\\Registry\\User\\.Default",
};

std::u16string folded(std::u16string_view name) {
  std::u16string upper(name);
  for (char16_t& letter : upper) letter = static_cast<char16_t>(upcase(static_cast<WCHAR>(letter)));
  return upper;
}

// Takes the first name off a path, with the separator behind it.
std::u16string_view pop(std::u16string_view& path) {
  size_t end = path.find(u'\\');
  std::u16string_view first = path.substr(0, end);
  path = end == path.npos ? std::u16string_view() : path.substr(end + 1);
  return first;
}

base::Failure key_deleted() { return base::Failure(STATUS_KEY_DELETED, "the key was deleted"); }
base::Failure no_such_name() { return base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "there is no such key or value"); }

base::Result<> check_path(std::u16string_view path) {
  const base::Failure bad(STATUS_OBJECT_PATH_SYNTAX_BAD, "an empty name in a registry path");
  if (path.empty()) return {};
  if (path.back() == u'\\') return bad;
  for (std::u16string_view rest = path; !rest.empty();) {
    std::u16string_view name = pop(rest);
    if (name.empty()) return bad;
    if (name.size() > kLongestKeyName) {
      return base::Failure(STATUS_INVALID_PARAMETER, "a key's name has more than 255 characters");
    }
  }
  return {};
}

auto find_value(std::vector<RegistryValue>& values, std::u16string_view name) {
  std::u16string wanted = folded(name);
  return std::find_if(values.begin(), values.end(),
                      [&](const RegistryValue& value) { return folded(value.name) == wanted; });
}

}  // namespace

Registry::Registry(Clock clock) : clock_(std::move(clock)) {
  {
    base::Guard guard(lock_);
    add(nullptr, kRoot);
  }
  for (std::u16string_view path : kAlways) make_path(path).take();
}

// --- The tree ---

RegistryKey& Registry::add(RegistryKey* parent, std::u16string_view name) {
  RegistryKey& key = keys_.emplace_back();
  key.name = name;
  key.parent = parent;
  key.last_write = clock_();
  key.ordinal = static_cast<uint32_t>(keys_.size());
  if (parent) {
    parent->children.emplace(folded(name), &key);
    parent->last_write = key.last_write;
  }
  return key;
}

base::Result<Registry::Place> Registry::walk(RegistryKey* root, std::u16string_view path) {
  if (!root) {
    if (path.empty() || path[0] != u'\\') {
      return base::Failure(STATUS_OBJECT_PATH_SYNTAX_BAD, "a path without a root key begins with a backslash");
    }
    path.remove_prefix(1);
    TRY(check_path(path));
    if (folded(pop(path)) != folded(kRoot)) {
      return base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "the path of a key begins with \\Registry");
    }
    root = &keys_.front();
  } else {
    TRY(check_path(path));
  }
  if (root->deleted) return key_deleted();
  for (;;) {
    if (path.empty()) return Place{root, path};
    std::u16string_view rest = path;
    auto next = root->children.find(folded(pop(rest)));
    if (next == root->children.end()) return Place{root, path};
    root = next->second;
    path = rest;
  }
}

// What a driver gave is copied before the lock is taken (nt/mm/touch.h).
base::Result<RegistryKey*> Registry::open(RegistryKey* root, std::u16string_view given) {
  const std::u16string path(given);
  base::Guard guard(lock_);
  Place place = TRY(walk(root, path));
  if (!place.missing.empty()) return no_such_name();
  return place.key;
}

base::Result<Registry::Created> Registry::create(RegistryKey* root, std::u16string_view given,
                                                 std::u16string_view class_name) {
  const std::u16string path(given);
  std::u16string its_class(class_name);
  base::Guard guard(lock_);
  Place place = TRY(walk(root, path));
  if (place.missing.empty()) return Created{place.key, false};
  if (place.missing.find(u'\\') != place.missing.npos) return no_such_name();
  if (place.key == &keys_.front()) {
    return base::Failure(STATUS_ACCESS_DENIED, "only the system makes keys right below \\Registry");
  }
  RegistryKey& key = add(place.key, place.missing);
  key.class_name = std::move(its_class);
  return Created{&key, true};
}

base::Result<RegistryKey*> Registry::make_path(std::u16string_view path) {
  base::Guard guard(lock_);
  Place place = TRY(walk(nullptr, path));
  while (!place.missing.empty()) place.key = &add(place.key, pop(place.missing));
  return place.key;
}

base::Result<> Registry::remove(RegistryKey& key) {
  base::Guard guard(lock_);
  if (key.deleted) return key_deleted();
  bool of_the_system = !key.parent || !key.parent->parent;
  if (!key.children.empty() || of_the_system) {
    return base::Failure(STATUS_CANNOT_DELETE, "a key with keys below it, or one of the system's, cannot be deleted");
  }
  key.parent->children.erase(folded(key.name));
  key.parent->last_write = clock_();
  key.deleted = true;
  key.values.clear();
  return {};
}

// --- What is in a key ---

RegistryKeyFacts Registry::facts_of(const RegistryKey& key) {
  constexpr size_t kUnit = sizeof(char16_t);
  RegistryKeyFacts facts;
  facts.name = key.name;
  facts.class_name = key.class_name;
  for (const RegistryKey* at = &key; at; at = at->parent) facts.path = u"\\" + at->name + facts.path;
  facts.last_write = key.last_write;
  facts.subkeys = key.children.size();
  for (const auto& [upper, child] : key.children) {
    facts.longest_name = std::max(facts.longest_name, child->name.size() * kUnit);
    facts.longest_class = std::max(facts.longest_class, child->class_name.size() * kUnit);
  }
  facts.values = key.values.size();
  for (const RegistryValue& value : key.values) {
    facts.longest_value_name = std::max(facts.longest_value_name, value.name.size() * kUnit);
    facts.longest_data = std::max(facts.longest_data, value.data.size());
  }
  return facts;
}

base::Result<RegistryKeyFacts> Registry::facts(const RegistryKey& key) {
  base::Guard guard(lock_);
  if (key.deleted) return key_deleted();
  return facts_of(key);
}

base::Result<RegistryKeyFacts> Registry::subkey_at(const RegistryKey& key, size_t index) {
  base::Guard guard(lock_);
  if (key.deleted) return key_deleted();
  if (index >= key.children.size()) return base::Failure(STATUS_NO_MORE_ENTRIES, "the key has no more subkeys");
  return facts_of(*std::next(key.children.begin(), static_cast<ptrdiff_t>(index))->second);
}

base::Result<> Registry::set(RegistryKey& key, std::u16string_view name, uint32_t type, std::span<const uint8_t> data) {
  if (name.size() > kLongestValueName) {
    return base::Failure(STATUS_INVALID_PARAMETER, "a value's name has more than 16383 characters");
  }
  RegistryValue value{std::u16string(name), type, {data.begin(), data.end()}};
  base::Guard guard(lock_);
  if (key.deleted) return key_deleted();
  auto at = find_value(key.values, value.name);
  if (at == key.values.end()) {
    key.values.push_back(std::move(value));
  } else {
    at->type = value.type;  // its name keeps the letters it was made with
    at->data = std::move(value.data);
  }
  key.last_write = clock_();
  return {};
}

base::Result<> Registry::remove_value(RegistryKey& key, std::u16string_view given) {
  const std::u16string name(given);
  base::Guard guard(lock_);
  if (key.deleted) return key_deleted();
  auto at = find_value(key.values, name);
  if (at == key.values.end()) return no_such_name();
  key.values.erase(at);
  key.last_write = clock_();
  return {};
}

base::Result<RegistryValue> Registry::value(const RegistryKey& key, std::u16string_view name) {
  const std::u16string wanted = folded(name);
  base::Guard guard(lock_);
  if (key.deleted) return key_deleted();
  for (const RegistryValue& value : key.values) {
    if (folded(value.name) == wanted) return value;
  }
  return no_such_name();
}

base::Result<RegistryValue> Registry::value_at(const RegistryKey& key, size_t index) {
  base::Guard guard(lock_);
  if (key.deleted) return key_deleted();
  if (index >= key.values.size()) return base::Failure(STATUS_NO_MORE_ENTRIES, "the key has no more values");
  return key.values[index];
}

// --- For the host ---

base::Result<> Registry::set_value(std::u16string_view path, std::u16string_view name, uint32_t type,
                                   std::span<const uint8_t> data) {
  RegistryKey* key = TRY(make_path(path));
  return set(*key, name, type, data);
}

base::Result<> Registry::set_string(std::u16string_view path, std::u16string_view name, std::u16string_view text) {
  std::u16string terminated(text);
  const auto* bytes = reinterpret_cast<const uint8_t*>(terminated.c_str());
  return set_value(path, name, REG_SZ, {bytes, (terminated.size() + 1) * sizeof(char16_t)});
}

base::Result<> Registry::set_dword(std::u16string_view path, std::u16string_view name, uint32_t number) {
  return set_value(path, name, REG_DWORD, {reinterpret_cast<const uint8_t*>(&number), sizeof(number)});
}

void Registry::assign_device(const DEVICE_OBJECT* device, std::u16string hardware_path, std::u16string software_path) {
  base::Guard guard(lock_);
  devices_[device] = {std::move(hardware_path), std::move(software_path)};
}

std::u16string Registry::device_path(const DEVICE_OBJECT* device, bool hardware) {
  base::Guard guard(lock_);
  auto at = devices_.find(device);
  if (at == devices_.end()) return {};
  return hardware ? at->second.hardware : at->second.software;
}

}  // namespace nt
