// The trace records of the GPU's work.
#include "dxgk/adapter/adapter.h"
#include "dxgk/work/gpu.h"

namespace dxgk {

void Gpu::trace_nodes() {
  traced_.resize(scheduler_->node_count());
  for (uint32_t i = 0; i < traced_.size(); ++i) {
    const vidsch::Packet* packet = scheduler_->node(i).running();
    vidsch::FenceId fence = packet ? packet->fence() : 0;
    if (std::exchange(traced_[i], fence) == fence) continue;
    machine_.note(trace::NodeWork{
        .adapter = adapter_.luid().LowPart, .node = i, .fence = fence, .paging = packet && packet->paging()});
  }
}

}  // namespace dxgk
