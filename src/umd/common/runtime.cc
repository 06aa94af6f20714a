#include "umd/common/runtime.h"

namespace umd {

Runtime::Runtime(nt::Machine& machine, const Exports& driver, std::string driver_name)
    : machine_(machine), driver_(driver), driver_name_(std::move(driver_name)) {
  CHECK(!of(machine));
  machine.set_part(this);
}

Runtime::~Runtime() { machine_.set_part<Runtime>(nullptr); }

}  // namespace umd
