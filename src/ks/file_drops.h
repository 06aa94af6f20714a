#pragma once

#include <unordered_map>
#include <vector>

#include "abi/ks/ks.h"
#include "base/mutex.h"
#include "nt/machine.h"

namespace ks {

// References to files that are given up while mutexes of the class are held. The last reference closes the file, and
// that takes the device's mutex, which comes before all others: so the reference goes when the request that the thread
// is in has let go of everything. Owned by the system; any thread at PASSIVE_LEVEL.
class FileDrops {
 public:
  explicit FileDrops(nt::Machine& machine) : machine_(machine) {}
  FileDrops(const FileDrops&) = delete;
  FileDrops& operator=(const FileDrops&) = delete;

  // At once where the thread is in no request.
  void drop(FILE_OBJECT& file);

  // A request that this thread is in, from its beginning to its end. Requests within requests count as one.
  class [[nodiscard]] Request {
   public:
    explicit Request(FileDrops& drops);
    ~Request();
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

   private:
    FileDrops& drops_;
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
