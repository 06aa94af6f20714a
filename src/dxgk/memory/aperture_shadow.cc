#include "dxgk/memory/aperture_shadow.h"

#include <algorithm>

#include "base/align.h"
#include "base/check.h"

namespace dxgk {
namespace {

const PFN_NUMBER* frames_of(const MDL& mdl) { return reinterpret_cast<const PFN_NUMBER*>(&mdl + 1); }

uint64_t frames_in(const MDL& mdl) { return base::page_count(mdl.ByteOffset + uint64_t{mdl.ByteCount}); }

}  // namespace

ApertureShadow::ApertureShadow(uint64_t pages) : pages_(pages), chunks_((pages + kChunk - 1) / kChunk) {}

ApertureShadow::Page& ApertureShadow::slot(uint64_t page) {
  std::unique_ptr<Chunk>& chunk = chunks_[page / kChunk];
  if (!chunk) chunk = std::make_unique<Chunk>();
  return (*chunk)[page % kChunk];
}

void ApertureShadow::map(uint64_t first, uint64_t pages, const MDL& mdl, uint32_t mdl_page) {
  CHECK(first <= pages_ && pages <= pages_ - first);
  CHECK(mdl_page <= frames_in(mdl) && pages <= frames_in(mdl) - mdl_page);
  for (uint64_t i = 0; i < pages; ++i) {
    Page& page = slot(first + i);
    CHECK_MSG(page.shows != Page::Shows::Memory, "an aperture page mapped twice");
    page = {Page::Shows::Memory, frames_of(mdl)[mdl_page + i] * base::kPageBytes};
  }
  mapped_ += pages;
}

void ApertureShadow::unmap(uint64_t first, uint64_t pages, uint64_t dummy_page) {
  CHECK(first <= pages_ && pages <= pages_ - first);
  for (uint64_t i = 0; i < pages; ++i) {
    Page& page = slot(first + i);
    if (page.shows == Page::Shows::Memory) --mapped_;
    page = {Page::Shows::Dummy, dummy_page};
  }
}

ApertureShadow::Page ApertureShadow::at(uint64_t page) const {
  CHECK(page < pages_);
  const std::unique_ptr<Chunk>& chunk = chunks_[page / kChunk];
  return chunk ? (*chunk)[page % kChunk] : Page{};
}

}  // namespace dxgk
