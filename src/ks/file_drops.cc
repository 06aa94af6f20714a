#include "ks/file_drops.h"

#include "nt/file_objects.h"

namespace ks {

void FileDrops::drop(FILE_OBJECT& file) {
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

FILE_OBJECT* FileDrops::next(const nt::Thread& thread) {
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

FileDrops::Request::Request(FileDrops& drops) : drops_(drops) {
  base::Guard guard(drops_.lock_);
  outermost_ = drops_.lists_.try_emplace(&drops_.machine_.self()).second;
}

// What is closed here may drop more.
FileDrops::Request::~Request() {
  if (!outermost_) return;
  nt::Machine& machine = drops_.machine_;
  while (FILE_OBJECT* file = drops_.next(machine.self())) machine.files().dereference(*file);
}

}  // namespace ks
