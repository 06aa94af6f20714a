#include "ks/object/deferred_file_release.h"

#include "nt/io/file_objects.h"

namespace ks {

void DeferredFileRelease::drop(FILE_OBJECT& file) {
  {
    base::Guard guard(lock_);
    auto found = lists_.find(&machine_.self());
    if (found != lists_.end()) {
      found->second.push_back(&file);
      return;
    }
  }
  machine_.files().dereference(file);
}

FILE_OBJECT* DeferredFileRelease::next(const nt::Thread& thread) {
  base::Guard guard(lock_);
  List& list = lists_[&thread];
  if (list.empty()) {
    lists_.erase(&thread);
    return nullptr;
  }
  FILE_OBJECT* first = list.front();
  list.erase(list.begin());
  return first;
}

DeferredFileRelease::Request::Request(DeferredFileRelease& drops) : file_releases_(drops) {
  base::Guard guard(file_releases_.lock_);
  outermost_ = file_releases_.lists_.try_emplace(&file_releases_.machine_.self()).second;
}

// Closing these files may add further references to the list.
DeferredFileRelease::Request::~Request() {
  if (!outermost_) return;
  nt::Machine& machine = file_releases_.machine_;
  while (FILE_OBJECT* file = file_releases_.next(machine.self())) machine.files().dereference(*file);
}

}  // namespace ks
