#include "dxgk/memory/video_block.h"

#include <algorithm>

#include "base/align.h"
#include "base/check.h"
#include "nt/machine/machine.h"
#include "nt/mm/mdls.h"

namespace dxgk {

SystemPages::~SystemPages() {
  for (MDL* mdl : mdls_) {
    machine_->mdls().unlock(*mdl);
    machine_->mdls().free(mdl);
  }
}

base::Result<> SystemPages::hold(nt::Machine& machine, void* address, uint64_t bytes, uint64_t most_of_mdl) {
  CHECK(mdls_.empty() && most_of_mdl % vidmm::kPageBytes == 0 && most_of_mdl <= UINT32_MAX);
  std::vector<MDL*> mdls;
  for (uint64_t done = 0; done < bytes; done += most_of_mdl) {
    MDL* mdl = machine.mdls().allocate(static_cast<uint8_t*>(address) + done, std::min(most_of_mdl, bytes - done));
    if (!mdl) {
      for (MDL* made : mdls) machine.mdls().free(made);
      return base::Failure(STATUS_NO_MEMORY, "no memory for an MDL");
    }
    mdls.push_back(mdl);
  }
  for (MDL* mdl : mdls) machine.mdls().lock(*mdl, IoModifyAccess);
  machine_ = &machine;
  address_ = address;
  count_ = base::round_up(bytes, vidmm::kPageBytes) / vidmm::kPageBytes;
  mdl_pages_ = most_of_mdl / vidmm::kPageBytes;
  mdls_ = std::move(mdls);
  return {};
}

uint64_t SystemPages::page(uint64_t index) const {
  return MmGetMdlPfnArray(mdls_[index / mdl_pages_])[index % mdl_pages_];
}

}  // namespace dxgk
