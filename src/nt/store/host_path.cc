#include "nt/store/host_path.h"

#include <algorithm>

#include "abi/shared/ntstatus.h"
#include "nt/rtl/case_map.h"

using base::Failure;
using base::Result;

namespace nt {
namespace {

using Components = std::vector<std::u16string>;

bool eat(std::u16string_view& path, std::u16string_view prefix) {
  if (!same_name(path.substr(0, prefix.size()), prefix)) return false;
  path.remove_prefix(prefix.size());
  return true;
}

bool is_name(std::u16string_view component) {
  if (component.empty() || component == u"." || component == u"..") return false;
  return std::none_of(component.begin(), component.end(), [](char16_t c) {
    return c < 0x20 || std::u16string_view(u"<>:\"/|?*").find(c) != std::u16string_view::npos;
  });
}

// One separator may stand at the end: that is how a folder is sometimes written.
Result<> split(std::u16string_view path, Components& out) {
  if (path.ends_with(u'\\')) path.remove_suffix(1);
  while (!path.empty()) {
    size_t end = std::min(path.find(u'\\'), path.size());
    if (!is_name(path.substr(0, end))) {
      return Failure(STATUS_OBJECT_NAME_INVALID, "a part of the path is no name that a file can have");
    }
    out.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return {};
}

bool is_drive(std::u16string_view path) {
  return path.size() >= 2 && path[1] == u':' && downcase(static_cast<WCHAR>(path[0])) >= u'a' &&
         downcase(static_cast<WCHAR>(path[0])) <= u'z';
}

}  // namespace

bool same_name(std::u16string_view a, std::u16string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char16_t x, char16_t y) {
    return upcase(static_cast<WCHAR>(x)) == upcase(static_cast<WCHAR>(y));
  });
}

Result<Components> host_path(std::u16string_view path) {
  if (!path.starts_with(u'\\')) {
    return Failure(STATUS_OBJECT_PATH_SYNTAX_BAD, "a path without a root directory does not begin with a backslash");
  }
  Components components;
  if (eat(path, u"\\SystemRoot\\")) {
    components = {u"c", u"windows"};
  } else if (eat(path, u"\\??\\") || eat(path, u"\\DosDevices\\")) {
    if (!is_drive(path)) return Failure(STATUS_OBJECT_NAME_NOT_FOUND, "the path names no drive");
    if (path.size() == 2) return Failure(STATUS_OBJECT_NAME_INVALID, "the path names a volume and no file on it");
    components.emplace_back(1, static_cast<char16_t>(downcase(static_cast<WCHAR>(path[0]))));
    path.remove_prefix(2);
    if (!eat(path, u"\\")) return Failure(STATUS_OBJECT_NAME_INVALID, "no backslash follows the drive");
  } else {
    return Failure(STATUS_OBJECT_PATH_NOT_FOUND, "the path is below neither \\??, \\DosDevices nor \\SystemRoot");
  }
  TRY(split(path, components));
  return components;
}

Result<Components> relative_host_path(std::u16string_view path) {
  Components components;
  TRY(split(path, components));
  if (components.empty()) return Failure(STATUS_OBJECT_NAME_INVALID, "an empty path below a folder");
  return components;
}

}  // namespace nt
