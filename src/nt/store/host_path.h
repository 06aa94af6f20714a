#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace nt {

// Where an NT path leads in the folder that holds the machine's files, folder by folder:
//
//   \??\C:\dir\x, \DosDevices\C:\dir\x   c, dir, x
//   \SystemRoot\x                        c, windows, x   (C:\Windows: our policy)
//
// `relative`: the path begins below an open folder. No component is "", "." or "..", and none has a character that
// Windows forbids in names. So no component leads upward on the host.
base::Result<std::vector<std::u16string>> host_path(std::u16string_view path);
base::Result<std::vector<std::u16string>> relative_host_path(std::u16string_view path);

// Names are compared without case.
bool same_name(std::u16string_view a, std::u16string_view b);

}  // namespace nt
