#pragma once

#include <string>
#include <vector>

#include "ks/object/object.h"

namespace ks {

class Filter;

// Makes filters of one kind. Owned by its device; touched under the device's mutex.
class FilterFactory final : public Object {
 public:
  static constexpr KSOBJECTTYPE kType = KsObjectTypeFilterFactory;

  struct Request {
    const KSFILTER_DESCRIPTOR* descriptor;
    std::u16string reference;  // empty: the descriptor's GUID
    ULONG flags = 0;           // KSCREATE_ITEM_…
    PFNKSFILTERFACTORYPOWER sleep = nullptr;
    PFNKSFILTERFACTORYPOWER wake = nullptr;
  };
  FilterFactory(Device& device, const Request& request, std::string name);
  ~FilterFactory() override;

  KSFILTERFACTORY& operator*() { return *body_; }
  void* body() override { return body_; }
  Device& device() override { return device_; }
  ControlMutex& control() override;
  const KSFILTER_DESCRIPTOR& descriptor() const { return *body_->FilterDescriptor; }
  const std::u16string& reference() const { return reference_; }
  std::u16string symbolic_link(const GUID& category) const;
  UNICODE_STRING* symbolic_link();  // of its first category, in the machine's memory
  bool enabled() const { return enabled_; }
  void enable(bool enabled) { enabled_ = enabled; }
  PFNKSFILTERFACTORYPOWER sleep() const { return sleep_; }
  PFNKSFILTERFACTORYPOWER wake() const { return wake_; }

  bool refuses_parameters() const { return flags_ & KSCREATE_ITEM_NOPARAMETERS; }
  bool is_wildcard() const { return flags_ & KSCREATE_ITEM_WILDCARD; }
  bool goes_with_stop() const { return flags_ & KSCREATE_ITEM_FREEONSTOP; }
  // Its filters stay open, and no other is made.
  void free() { freed_ = true; }
  bool freed() const { return freed_; }
  void end();  // before it is deleted: its bag is emptied

  // IRP_MJ_CREATE on it: makes a filter and calls the driver's Create. FsContext is set when this succeeds.
  NTSTATUS create_filter(IRP& irp);

 private:
  friend class Filter;
  Device& device_;
  KSFILTERFACTORY* const body_;
  const std::u16string reference_;
  const ULONG flags_;
  const PFNKSFILTERFACTORYPOWER sleep_, wake_;
  UNICODE_STRING* symbolic_link_ = nullptr;
  bool enabled_ = false;
  bool freed_ = false;
  uint32_t filters_ = 0;  // made so far: numbers them
};

}  // namespace ks
