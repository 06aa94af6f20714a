#include "ks/object/object.h"

#include <algorithm>

#include "ks/device/system.h"
#include "ks/object/outer_unknown.h"
#include "ks/property/event_list.h"
#include "nt/mm/pool.h"

namespace ks {

Object::Object(System& system, KSOBJECTTYPE type, Object* parent, nt::Scope& outer, nt::ScopeKind scope_kind,
               std::string name)
    : system_(system),
      type_(type),
      name_(std::move(name)),
      parent_(parent),
      scope_(scope_kind, name_, &outer),
      bag_(system, &scope_),
      events_(std::make_unique<EventList>(system)) {
  if (parent_) parent_->children_.push_back(this);
}

Object::~Object() {
  if (parent_) std::erase(parent_->children_, this);
}

OuterUnknown& Object::outer_unknown() {
  if (!outer_unknown_) outer_unknown_ = std::make_unique<OuterUnknown>(*this);
  return *outer_unknown_;
}

nt::Machine& Object::machine() { return system_.machine(); }

Object* Object::next_sibling() {
  if (!parent_) return nullptr;
  auto& siblings = parent_->children_;
  auto next = std::next(std::find(siblings.begin(), siblings.end(), this));
  return next == siblings.end() ? nullptr : *next;
}

void* Object::allocate_body(size_t bytes) {
  void* body = machine().pool().allocate(bytes, 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(body);
  return body;
}

void Object::retire() {
  bag_.empty();
  machine().hand_over(scope_, *scope_.parent());
  system_.unpublish(*this);
  machine().pool().free(body(), 0);
}

}  // namespace ks
