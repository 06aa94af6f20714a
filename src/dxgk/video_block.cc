#include "dxgk/video_block.h"

#include "nt/machine.h"
#include "nt/mdls.h"

namespace dxgk {

SystemPages::~SystemPages() {
  if (!mdl_) return;
  machine_->mdls().unlock(*mdl_);
  machine_->mdls().free(mdl_);
}

base::Result<> SystemPages::hold(nt::Machine& machine, void* address, uint64_t bytes) {
  MDL* mdl = machine.mdls().allocate(address, bytes);
  if (!mdl) return base::Failure(STATUS_NO_MEMORY, "no memory for an MDL");
  machine.mdls().lock(*mdl, IoModifyAccess);
  machine_ = &machine;
  address_ = address;
  count_ = (bytes + vidmm::kPageBytes - 1) / vidmm::kPageBytes;
  mdl_ = mdl;
  return {};
}

uint64_t SystemPages::page(uint64_t index) const { return MmGetMdlPfnArray(mdl_)[index]; }

}  // namespace dxgk
