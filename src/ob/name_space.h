#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "ob/object.h"
#include "ob/unpublished_object.h"

namespace ob {

enum class NameCase : uint8_t { Sensitive, Insensitive };

// Objects by name. A name does not keep its object in use: it goes with the object's last handle, though references
// remain (observed for shared graphics objects). Letters are compared without case over ASCII only (policy; Windows
// folds all of UTF-16). Owned by the machine and outlives every handle to what it names. Any thread.
class NameSpace {
 public:
  explicit NameSpace(NameCase name_case) : name_case_(name_case) {}
  ~NameSpace();
  NameSpace(const NameSpace&) = delete;
  NameSpace& operator=(const NameSpace&) = delete;

  // STATUS_OBJECT_NAME_COLLISION if the name is taken, STATUS_INVALID_PARAMETER if the object is published already.
  // The handle in hand proves that the object is in use.
  template <typename T>
  base::Result<> insert(std::u16string_view name, const UnpublishedObject<T>& object) {
    return insert_object(name, *object);
  }
  // One more handle to the object of that name. STATUS_OBJECT_NAME_NOT_FOUND; STATUS_OBJECT_TYPE_MISMATCH if it is
  // something else.
  template <HandleTarget T>
  base::Result<UnpublishedObject<T>> open(std::u16string_view name) {
    UnpublishedObject<Object> object = TRY(open_object(name, kind_of<T>()));
    // The conversion goes down the hierarchy, which UnpublishedObject's own does not: the kind was compared.
    return UnpublishedObject<T>::adopt(static_cast<T*>(object.leak()));
  }

  size_t size() const;
  // Every name is folded, and its object is in use and published here under it. Only while no other thread is inside.
  bool validate() const;

 private:
  class Entry;

  std::u16string fold(std::u16string_view name) const;
  base::Result<> insert_object(std::u16string_view name, Object& object) EXCLUDES(lock_);
  base::Result<UnpublishedObject<Object>> open_object(std::u16string_view name, ObjectKind kind) EXCLUDES(lock_);
  void remove(const std::u16string& key) EXCLUDES(lock_);

  const NameCase name_case_;
  mutable base::Mutex<base::LockRank::Table> lock_;
  // By folded name. No references: withdraw() removes an object before its last handle's reference goes.
  std::map<std::u16string, Object*> objects_ GUARDED_BY(lock_);
};

}  // namespace ob
