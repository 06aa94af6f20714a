#pragma once

#include "ob/object.h"

namespace dxgk {

// An event of a client, however its system makes one: what a CPU notification sets, or a wait of the CPU. Every object
// of kind Event that a client's handles resolve to is one. Any thread.
class ClientEvent : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::Event;

  // At any IRQL up to DISPATCH_LEVEL, under no lock; does not block.
  virtual void set() = 0;

 protected:
  explicit ClientEvent(ob::Ordinals& ordinals) : ob::Object(kKind, ordinals) {}
};

}  // namespace dxgk
