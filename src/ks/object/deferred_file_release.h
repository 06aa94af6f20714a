#pragma once

#include <unordered_map>
#include <vector>

#include "abi/ks/ks.h"
#include "base/mutex.h"
#include "nt/machine/machine.h"

namespace ks {

// References to files that are given up while mutexes of the class are held. The last reference closes the file, and
// the close takes the device's mutex, which must be taken before all others. So the reference is released at the end of
// the thread's request, when it holds no mutex. Owned by the system; any thread at PASSIVE_LEVEL.
class DeferredFileRelease {
 public:
  explicit DeferredFileRelease(nt::Machine& machine) : machine_(machine) {}
  DeferredFileRelease(const DeferredFileRelease&) = delete;
  DeferredFileRelease& operator=(const DeferredFileRelease&) = delete;

  // Released at once where the thread is in no request.
  void drop(FILE_OBJECT& file);

  // A request that this thread is in, from its beginning to its end. Requests within requests count as one.
  class [[nodiscard]] Request {
   public:
    explicit Request(DeferredFileRelease& drops);
    ~Request();
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

   private:
    DeferredFileRelease& file_releases_;
    bool outermost_;
  };

 private:
  using List = std::vector<FILE_OBJECT*>;
  FILE_OBJECT* next(const nt::Thread& thread);

  nt::Machine& machine_;
  base::Mutex<base::LockRank::Table> lock_;
  std::unordered_map<const nt::Thread*, List> lists_ GUARDED_BY(lock_);  // of threads in requests; never walked
};

}  // namespace ks
