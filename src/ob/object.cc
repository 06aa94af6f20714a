#include "ob/object.h"

#include "base/check.h"

namespace ob {

Object::~Object() {
  CHECK_MSG(handle_count() == 0,
            "an object dies with an open handle: a new object belongs in a UnpublishedObject at once");
  delete publication_.load(std::memory_order_acquire);
}

bool Object::try_open_handle() {
  uint32_t count = handles_.load(std::memory_order_relaxed);
  do {
    if (count == 0) return false;
  } while (!handles_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
  return true;
}

void Object::close_handle() {
  if (drop_handle()) on_last_handle_closed();
}

bool Object::drop_handle() {
  // Acquire and release: what each holder did with its handle comes before what the last one does here.
  uint32_t before = handles_.fetch_sub(1, std::memory_order_acq_rel);
  CHECK(before != 0);
  if (before != 1) return false;
  if (Publication* publication = publication_.load(std::memory_order_acquire)) publication->withdraw();
  return true;
}

bool Object::publish_as(std::unique_ptr<Publication> publication) {
  Publication* none = nullptr;
  if (!publication_.compare_exchange_strong(none, publication.get(), std::memory_order_acq_rel)) return false;
  static_cast<void>(publication.release());
  return true;
}

}  // namespace ob
