#include "base/executor.h"

namespace base {

thread_local Task* Executor::t_current = nullptr;

}  // namespace base
