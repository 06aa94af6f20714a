#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/ks/ks.h"
#include "base/result.h"

namespace ks {

// The name under which a child of an open file is created: the class GUID in braces, a backslash, and its parameters in
// binary (KSPIN_CONNECT with a format, KSALLOCATOR_FRAMING, KSCLOCK_CREATE, …).
struct CreateName {
  GUID class_id;
  std::vector<uint8_t> parameters;  // aligned as a quadword is
};

// STATUS_OBJECT_NAME_INVALID when there is no GUID in it.
base::Result<CreateName> parse_create_name(const UNICODE_STRING& name);
std::u16string make_create_name(const GUID& class_id, const void* parameters, size_t bytes);

// "{146F1A80-4791-11D0-A5D6-28DB04C10000}", and back.
std::u16string guid_text(const GUID& guid);
std::optional<GUID> parse_guid(const WCHAR* text, size_t characters);

}  // namespace ks
