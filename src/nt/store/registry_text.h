#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nt/store/registry.h"

// Registry contents as text, in a format of ours that is modelled on .reg files, in UTF-8:
//
//   ; a comment
//   [\Registry\Machine\System\CurrentControlSet\Services\mill]     a key; all of the path is made
//   "Mode"="fast"                    REG_SZ. \" and \\ stand for " and \ here and in names
//   "Home"=expand:"%SystemRoot%"     REG_EXPAND_SZ
//   "Names"=multi:"a","b"            REG_MULTI_SZ
//   "Depth"=dword:0000000a           REG_DWORD, hexadecimal
//   "Size"=qword:100000000           REG_QWORD, hexadecimal
//   "Blob"=hex:01,02,ff              REG_BINARY
//   "List"=hex(8):00,00              any other type, its number in hexadecimal
//   @="value without a name"
//
// HKEY_LOCAL_MACHINE and HKEY_USERS at the start of a path stand for \Registry\Machine and \Registry\User. A backslash
// at the end of a line of hex joins the next one to it.
namespace nt {

struct RegistryEntry {
  std::u16string key;                  // its whole path
  std::optional<RegistryValue> value;  // nothing: the key alone
  size_t line;                         // where it begins
};

// On failure `message` receives the whole sentence, beginning with "file:line: ".
base::Result<std::vector<RegistryEntry>> parse_registry(std::string_view text, const std::string& file,
                                                        std::string* message);
base::Result<> load_registry(Registry& registry, std::string_view text, const std::string& file, std::string* message);

}  // namespace nt
