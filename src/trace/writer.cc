#include "trace/writer.h"

namespace trace {

void Writer::set_sink(Sink* sink) {
  Lock lock(mutex_);
  if (sink) {
    log_.attach(*sink);
  } else {
    log_.detach();
  }
}

base::Result<> Writer::copy_to(Sink& sink) {
  Lock lock(mutex_);
  return log_.copy_to(sink);
}

base::Result<> Writer::flush() {
  Lock lock(mutex_);
  return log_.flush();
}

void Writer::set_context(const Context* context) {
  Lock lock(mutex_);
  context_ = context ? context : &kNoContext;
}

uint64_t Writer::hash() const {
  Lock lock(mutex_);
  return log_.hash();
}

uint64_t Writer::count() const {
  Lock lock(mutex_);
  return log_.count();
}

void Writer::reset() {
  Lock lock(mutex_);
  log_.reset();
}

}  // namespace trace
