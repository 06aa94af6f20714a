#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ks/object/file_node.h"
#include "ks/object/filter_factory.h"
#include "ks/object/object.h"

namespace ks {

class Automation;
class Pin;
class Processor;

// What makes pins of one kind on one filter: a descriptor, and how many there are.
struct PinFactory {
  const KSPIN_DESCRIPTOR_EX* descriptor;
  uint32_t id;
  std::vector<Pin*> pins;  // live ones, in the order they were made
};

// A filter: an open file on a filter factory. Its control mutex guards its pins. Owned by its file.
class Filter final : public Object, public FileNode {
 public:
  static constexpr KSOBJECTTYPE kType = KsObjectTypeFilter;

  ~Filter() override;

  KSFILTER& operator*() { return *body_; }
  void* body() override { return body_; }
  Device& device() override { return factory_.device(); }
  FilterFactory& factory() { return factory_; }
  ControlMutex& control() override { return control_; }
  const KSFILTER_DESCRIPTOR& descriptor() const { return *body_->Descriptor; }
  const KSFILTER_DISPATCH* dispatch() const { return body_->Descriptor->Dispatch; }
  FILE_OBJECT& file() { return *file_; }
  // Filter-centric: the driver gave a routine that processes all pins together.
  bool processes() const { return dispatch() && dispatch()->Process; }
  Processor* processor() { return processor_.get(); }  // null unless filter-centric
  const Automation& automation() const { return *automation_; }

  // --- Pins; under the control mutex ---
  const std::vector<std::unique_ptr<PinFactory>>& pin_factories() const { return pin_factories_; }
  PinFactory* pin_factory(uint32_t id);
  base::Result<uint32_t> add_pin_factory(const KSPIN_DESCRIPTOR_EX& descriptor);  // KsFilterCreatePinFactory: copies it
  uint32_t add_node(const KSNODE_DESCRIPTOR& descriptor);                         // KsFilterCreateNode
  void add_connections(std::span<const KSTOPOLOGY_CONNECTION> connections);
  // Nodes and connections of the descriptor, and those that the driver added.
  const std::vector<const KSNODE_DESCRIPTOR*>& nodes() const { return nodes_; }
  const std::vector<KSTOPOLOGY_CONNECTION>& connections() const { return connections_; }
  bool denies_user_mode() const { return descriptor().Flags & KSFILTER_FLAG_DENY_USERMODE_ACCESS; }

  // The hardware was pulled out: streams of all pins end.
  void device_gone();
  void register_power(PFNKSFILTERPOWER sleep, PFNKSFILTERPOWER wake) { sleep_ = sleep, wake_ = wake; }
  void tell_power(DEVICE_POWER_STATE state, bool sleep);

  // FileNode
  NodeKind kind() const override { return NodeKind::Filter; }
  NTSTATUS create_child(IRP& irp, const GUID& class_id, const uint8_t* parameters, size_t bytes) override;
  NTSTATUS device_control(IRP& irp) override;
  void cleanup(IRP& irp) override;
  NTSTATUS close(IRP& irp) override;
  void pended(UCHAR major, NTSTATUS status) override;

 private:
  friend class FilterFactory;
  friend class Pin;
  Filter(FilterFactory& factory, FILE_OBJECT& file, std::string name);
  NTSTATUS open(IRP& irp);
  void judge_pending(IRP& irp, NTSTATUS status, const char* routine);
  void end();

  FilterFactory& factory_;
  FILE_OBJECT* const file_;
  KSFILTER* const body_;
  ControlMutex control_;
  std::vector<std::unique_ptr<PinFactory>> pin_factories_;
  std::vector<const KSNODE_DESCRIPTOR*> nodes_;
  std::vector<KSTOPOLOGY_CONNECTION> connections_;
  std::unique_ptr<Automation> automation_;
  std::unique_ptr<Processor> processor_;
  PFNKSFILTERPOWER sleep_ = nullptr, wake_ = nullptr;
  uint32_t pins_made_ = 0;
};

}  // namespace ks
