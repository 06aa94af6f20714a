#include "umd/runtime.h"

namespace umd {

Runtime::Runtime(nt::Machine& machine, const Exports& driver, std::string driver_name)
    : machine_(machine), driver_(driver), driver_name_(std::move(driver_name)) {
  CHECK(!machine.runtime());
  machine.set_runtime(this);
}

Runtime::~Runtime() { machine_.set_runtime(nullptr); }

}  // namespace umd
