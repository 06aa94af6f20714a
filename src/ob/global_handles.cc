#include "ob/global_handles.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"

namespace ob {

class GlobalHandles::Entry final : public Publication {
 public:
  Entry(SlotTable& slots, SlotKey key) : slots_(slots), key_(key) {}

  void withdraw() override { CHECK(slots_.close(key_, {}).ok()); }

 private:
  SlotTable& slots_;
  const SlotKey key_;
};

base::Result<GlobalHandles::Handle> GlobalHandles::share_object(Object& object) {
  SlotKey key = TRY(slots_.reserve());
  if (!object.publish_as(std::make_unique<Entry>(slots_, key))) {
    slots_.abort(key);
    return base::Failure(STATUS_INVALID_PARAMETER, "the object has a name or a global handle already");
  }
  slots_.publish(key, base::Ref<Object>::share(object));
  return GlobalKmtEncoding::encode(key);
}

base::Expected<UnpublishedObject<Object>, LookupFault> GlobalHandles::open_object(Handle handle, ObjectKind kind) {
  auto key = GlobalKmtEncoding::decode(handle);
  if (!key.ok()) return key.error();
  auto pin = slots_.pin(key.value(), {.kind = kind});
  if (!pin.ok()) return pin.error();
  std::optional<UnpublishedObject<Object>> fresh = UnpublishedObject<Object>::open(pin.value().object());
  if (!fresh) return LookupFault::Closing;  // its last handle went an instant ago, the withdrawal is under way
  return std::move(*fresh);
}

}  // namespace ob
