#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/ref.h"
#include "base/result.h"
#include "ob/closed_shadow.h"
#include "ob/encoding.h"
#include "ob/lookup.h"
#include "ob/slot_table.h"
#include "ob/unpublished_object.h"

namespace ob {

// A borrowed look-up: the object stays alive as long as this does, and neither its reference count nor its cache line
// is touched. The handle may be closed meanwhile. For the length of a call, not for keeping. Owned by one thread.
template <HandleTarget T>
class Pinned {
 public:
  explicit Pinned(SlotTable::Pin pin) : pin_(std::move(pin)) {}

  T* operator->() const { return &**this; }
  T& operator*() const { return static_cast<T&>(pin_.object()); }

 private:
  SlotTable::Pin pin_;
};

// From a client's handle values to objects: slots (slot_table.h), an encoding (encoding.h) and a record of the last
// closes. An open slot owns one reference and one handle of its object. Owned by a process; every pin and reservation
// must end before it. Any thread, any value: a number that is no handle gives a reason.
//
//   Reservation reservation = TRY(table.reserve());                 // the number is known, and does not resolve yet
//   D3DKMT_HANDLE handle = reservation.publish(std::move(fresh));   // from here on it resolves for every thread
//   base::Expected<base::Ref<Device>, LookupFault> device = table.get<Device>(handle);
template <typename Encoding>
class HandleTable {
 public:
  using Handle = typename Encoding::Handle;
  template <typename T>
  using Found = base::Expected<base::Ref<T>, LookupFault>;

  // A handle number that is reserved for an object still being made; given back when this ends without publish().
  class [[nodiscard]] Reservation {
   public:
    Reservation(Reservation&& other) noexcept : table_(std::exchange(other.table_, nullptr)), key_(other.key_) {}
    Reservation& operator=(Reservation other) noexcept {
      std::swap(table_, other.table_);
      std::swap(key_, other.key_);
      return *this;
    }
    ~Reservation() {
      if (table_) table_->slots_.abort(key_);
    }

    Handle handle() const { return Encoding::encode(key_); }
    // The slot takes over the handle that `fresh` is. Once.
    Handle publish(UnpublishedObject<Object> fresh) {
      CHECK(table_);
      std::exchange(table_, nullptr)->slots_.publish(key_, base::Ref<Object>::adopt(fresh.leak()));
      return handle();
    }

   private:
    friend class HandleTable;
    Reservation(HandleTable* table, SlotKey key) : table_(table), key_(key) {}

    HandleTable* table_;
    SlotKey key_;
  };

  static constexpr uint32_t kShadowCapacity = 1024;

  explicit HandleTable(uint32_t max_handles = SlotTable::kMaxSlots, uint32_t shadow_capacity = kShadowCapacity)
      : slots_(max_handles), shadow_(shadow_capacity) {}
  ~HandleTable() { close_all(); }

  base::Result<Reservation> reserve() { return Reservation(this, TRY(slots_.reserve())); }

  template <HandleTarget T>
  Found<T> get(Handle handle) {
    return share<T>(resolve<T>(handle, SlotTable::Destroyed::Refused));
  }
  template <HandleTarget T>
  Found<T> get_ignore_destroyed(Handle handle) {
    return share<T>(resolve<T>(handle, SlotTable::Destroyed::Ignored));
  }
  template <HandleTarget T>
  base::Expected<Pinned<T>, LookupFault> pin(Handle handle) {
    auto pin = resolve<T>(handle, SlotTable::Destroyed::Refused);
    if (!pin.ok()) return pin.error();
    return Pinned<T>(pin.take());
  }

  // From here on the handle resolves only for get_ignore_destroyed() and close_ignore_destroyed(). Of several callers
  // one succeeds, the others get Destroyed.
  template <HandleTarget T>
  Found<T> mark_destroyed(Handle handle) {
    auto key = Encoding::decode(handle);
    if (!key.ok()) return key.error();
    return share<T>(slots_.mark_destroyed(key.value(), match<T>(SlotTable::Destroyed::Refused)));
  }

  // Closes the handle and, if it was the object's last, runs on_last_handle_closed() before returning. Of several
  // callers one succeeds. The object is returned so that its memory goes where the caller chooses.
  template <HandleTarget T>
  Found<T> close(Handle handle, CloseSite site = CloseSite::current()) {
    return close_matching<T>(handle, SlotTable::Destroyed::Refused, site);
  }
  template <HandleTarget T>
  Found<T> close_ignore_destroyed(Handle handle, CloseSite site = CloseSite::current()) {
    return close_matching<T>(handle, SlotTable::Destroyed::Ignored, site);
  }

  // Calls f(handle, object) for each open handle, destroyed ones too, in the order of their indices. f may open and
  // close handles; what changes meanwhile may or may not be seen.
  template <typename F>
  void for_each(F f) {
    for (auto key = slots_.next_open(0); key; key = slots_.next_open(key->index + 1)) {
      auto pin = slots_.pin(*key, {.destroyed = SlotTable::Destroyed::Ignored});
      if (!pin.ok()) continue;
      SlotTable::Pin held = pin.take();
      f(Encoding::encode(*key), held.object());
    }
  }

  // What the end of a process does: closes what is open in the order of indices, until a pass finds nothing (closing
  // one object may have opened another).
  void close_all(CloseSite site = CloseSite::current()) {
    while (open_count() != 0) {
      for_each([&](Handle handle, Object&) { static_cast<void>(close_ignore_destroyed<Object>(handle, site)); });
    }
  }

  // The last close of this handle value, while it is remembered.
  std::optional<ClosedShadow::Record> last_close(Handle handle) const { return shadow_.find(handle); }

  uint32_t open_count() const { return slots_.open_count(); }
  uint32_t capacity() const { return slots_.capacity(); }

  // Only while no other thread is inside.
  bool validate() {
    bool counted = true;
    for_each([&](Handle, Object& object) { counted = counted && object.handle_count() != 0; });
    return counted && slots_.validate() && shadow_.validate();
  }

 private:
  using Pin = base::Expected<SlotTable::Pin, LookupFault>;

  template <typename T>
  static constexpr SlotTable::Match match(SlotTable::Destroyed destroyed) {
    return {.kind = kind_of<T>(),
            .generation = Encoding::kHasGeneration ? SlotTable::Generation::Exact : SlotTable::Generation::Any,
            .destroyed = destroyed};
  }

  template <typename T>
  Pin resolve(Handle handle, SlotTable::Destroyed destroyed) {
    auto key = Encoding::decode(handle);
    if (!key.ok()) return key.error();
    return slots_.pin(key.value(), match<T>(destroyed));
  }

  template <typename T>
  static Found<T> share(Pin pin) {
    if (!pin.ok()) return pin.error();
    return base::Ref<T>::share(static_cast<T&>(pin.value().object()));
  }

  template <typename T>
  Found<T> close_matching(Handle handle, SlotTable::Destroyed destroyed, CloseSite site) {
    auto key = Encoding::decode(handle);
    if (!key.ok()) return key.error();
    Pin pin = slots_.close(key.value(), match<T>(destroyed));
    if (pin.ok()) {
      shadow_.record(Encoding::encode(pin.value().key()), site);
      pin.value().object().close_handle();
    }
    return share<T>(std::move(pin));
  }

  SlotTable slots_;
  ClosedShadow shadow_;
};

using KmtHandleTable = HandleTable<LocalKmtEncoding>;
using NtHandleTable = HandleTable<NtEncoding>;

}  // namespace ob
