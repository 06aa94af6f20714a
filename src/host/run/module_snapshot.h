#pragma once

#include <vector>

#include "base/debug/library.h"

namespace host {

// The writable memory of a loaded module as it was when this was made: restore() takes it back to that, in
// microseconds, so that a process serves many seeds. The module outlives it. Used by one thread.
class ModuleSnapshot {
 public:
  explicit ModuleSnapshot(const base::Library& library);

  void restore() const;

 private:
  struct Saved {
    base::AddressRange range;
    std::vector<char> bytes;
  };

  std::vector<Saved> saved_;
};

}  // namespace host
