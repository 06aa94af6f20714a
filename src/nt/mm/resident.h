#pragma once

namespace nt {

class Machine;

// For objects that the kernel uses at DISPATCH_LEVEL or above: Violation::ObjectPaged where `object` lies in paged
// pool. `what` it is: "a spin lock".
void check_resident(Machine& machine, const void* object, const char* what);

}  // namespace nt
