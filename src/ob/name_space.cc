#include "ob/name_space.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"

namespace ob {

class NameSpace::Entry final : public Publication {
 public:
  Entry(NameSpace& space, std::u16string_view name, std::u16string key)
      : space_(space), name_(name), key_(std::move(key)) {}

  void withdraw() override { space_.remove(key_); }
  std::u16string_view name() const override { return name_; }

 private:
  NameSpace& space_;
  const std::u16string name_;  // as it was given
  const std::u16string key_;
};

NameSpace::~NameSpace() { CHECK_MSG(size() == 0, "a name space dies before the handles to what it names"); }

base::Result<> NameSpace::insert_object(std::u16string_view name, Object& object) {
  std::u16string key = fold(name);
  auto entry = std::make_unique<Entry>(*this, name, key);
  base::Guard guard(lock_);
  if (objects_.contains(key)) return base::Failure(STATUS_OBJECT_NAME_COLLISION, "the name is taken");
  if (!object.publish_as(std::move(entry))) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the object has a name or a global handle already");
  }
  objects_.emplace(std::move(key), &object);
  return {};
}

base::Result<UnpublishedObject<Object>> NameSpace::open_object(std::u16string_view name, ObjectKind kind) {
  std::u16string key = fold(name);
  base::Guard guard(lock_);
  auto found = objects_.find(key);
  if (found == objects_.end()) return base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "no object has this name");
  Object& object = *found->second;
  if (kind != ObjectKind::None && object.kind() != kind) {
    return base::Failure(STATUS_OBJECT_TYPE_MISMATCH, "the name belongs to an object of another type");
  }
  // The last handle may just have been closed, and the closing thread waits for our lock to remove the name.
  std::optional<UnpublishedObject<Object>> fresh = UnpublishedObject<Object>::open(object);
  if (!fresh) return base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "the object's last handle has just been closed");
  return std::move(*fresh);
}

void NameSpace::remove(const std::u16string& key) {
  base::Guard guard(lock_);
  CHECK(objects_.erase(key) == 1);
}

std::u16string NameSpace::fold(std::u16string_view name) const {
  std::u16string folded(name);
  if (name_case_ == NameCase::Sensitive) return folded;
  for (char16_t& c : folded) {
    if (c >= u'a' && c <= u'z') c = static_cast<char16_t>(c - u'a' + u'A');
  }
  return folded;
}

size_t NameSpace::size() const {
  base::Guard guard(lock_);
  return objects_.size();
}

bool NameSpace::validate() const {
  base::Guard guard(lock_);
  for (const auto& [key, object] : objects_) {
    const Publication* publication = object->publication();
    if (object->handle_count() == 0 || publication == nullptr || fold(publication->name()) != key) return false;
  }
  return true;
}

}  // namespace ob
