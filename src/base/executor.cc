#include "base/executor.h"

namespace base {

constinit thread_local Task* Executor::t_current = nullptr;

}  // namespace base
