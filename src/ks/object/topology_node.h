#pragma once

#include "ks/object/file_node.h"

namespace ks {

class Filter;

// A topology node of a filter: an open file below the filter's, for properties of one node. Owned by its file.
class TopologyNode final : public FileNode {
 public:
  static NTSTATUS create(Filter& filter, IRP& irp, const uint8_t* parameters, size_t bytes);

  NodeKind kind() const override { return NodeKind::TopologyNode; }
  NTSTATUS device_control(IRP& irp) override;
  NTSTATUS close(IRP&) override { return STATUS_SUCCESS; }

 private:
  TopologyNode(Filter& filter, ULONG id) : filter_(filter), id_(id) {}

  Filter& filter_;
  const ULONG id_;
};

}  // namespace ks
