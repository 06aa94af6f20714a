#pragma once

#include "dxgk/adapter/adapter.h"
#include "ob/object.h"

namespace kmt {

// An adapter as one handle of a process has it. Keeps the object alive, but not the adapter started: a stopped adapter
// answers STATUS_DEVICE_REMOVED.
class OpenAdapter final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::Adapter;

  OpenAdapter(dxgk::Adapter& adapter, ob::Ordinals& ordinals)
      : ob::Object(kKind, ordinals), adapter_(base::Ref<dxgk::Adapter>::share(adapter)) {}

  dxgk::Adapter& adapter() const { return *adapter_; }

 private:
  base::Ref<dxgk::Adapter> adapter_;
};

}  // namespace kmt
