#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kmt {

// "\\.\DISPLAY3" is 3; letters in any case. Nothing for anything else, "\\.\DISPLAY0" and "\\.\DISPLAY03" included.
std::optional<uint32_t> display_number(std::u16string_view gdi_name);

// Whether a device interface path names an adapter: "\\?\NAME#{1ca05180-a699-450a-9a0c-de4fbe3ddd89}", in any case of
// letters. The class is GUID_DISPLAY_DEVICE_ARRIVAL (documented) and the only one that opens an adapter (observed);
// what stands before it is up to the system, and here the adapter's name.
bool names_adapter(std::u16string_view interface_path, std::string_view adapter_name);

}  // namespace kmt
