#pragma once

#include "kmt/client/client.h"

namespace kmt {

// A process may ask about itself: by no handle at all, or by the pseudo handle of the calling process. Another
// process's handle would be judged by its rights, which are not modelled here. STATUS_INVALID_HANDLE,
// STATUS_ACCESS_DENIED (observed).
base::Result<> check_own_process(Client& client, HANDLE process);

}  // namespace kmt
