#pragma once

#include <memory>
#include <optional>
#include <string>

#include "abi/workload/drydock_workload.h"
#include "base/debug/library.h"
#include "host/run/module_snapshot.h"

namespace host {

// A workload that was found to be well formed, and the module it came in. Outlives every client of it.
class Workload {
 public:
  // The error is one sentence that names the file and what is wrong with it.
  static base::Expected<Workload, std::string> load(const std::string& path);
  // A workload of this program itself.
  static base::Expected<Workload, std::string> of(const DRYDOCK_WORKLOAD& description);

  // Takes the module's memory back to its state before the first seed.
  void restore() const {
    if (memory_) memory_->restore();
  }
  const DRYDOCK_WORKLOAD& operator*() const { return *description_; }
  const DRYDOCK_WORKLOAD* operator->() const { return description_; }

 private:
  explicit Workload(const DRYDOCK_WORKLOAD& description) : description_(&description) {}

  std::unique_ptr<base::Library> library_;  // the snapshot refers to it, so it keeps its place
  std::optional<ModuleSnapshot> memory_;
  const DRYDOCK_WORKLOAD* description_;
};

}  // namespace host
