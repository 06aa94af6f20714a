#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include "vidmm/manager/manager.h"

namespace vidmm::testing {

inline constexpr uint64_t kPage = 4096;

inline SegmentInfo memory_segment(uint32_t id, uint64_t pages) {
  SegmentInfo info;
  info.id = id;
  info.size = info.commit_limit = pages * kPage;
  return info;
}

inline SegmentInfo aperture_segment(uint32_t id, uint64_t pages) {
  SegmentInfo info = memory_segment(id, pages);
  info.aperture = true;
  return info;
}

// `pages` in the segments named, the first of them preferred.
inline BlockTraits traits(uint64_t pages, std::initializer_list<uint32_t> segments) {
  BlockTraits traits;
  traits.bytes = pages * kPage;
  size_t preference = 0;
  for (uint32_t segment : segments) {
    traits.supported |= 1u << (segment - 1);
    traits.preferred[preference++].segment = segment;
  }
  return traits;
}

// A manager with one process, whose devices and blocks go with it.
struct Memory {
  explicit Memory(std::vector<SegmentInfo> segments, const Options& options = {.gpu_mmu = true})
      : manager(segments, options), process(manager.budgets(), 1) {}
  ~Memory() {
    for (DeviceResidency& device : devices) manager.forget_device(device);
    Plan last;
    for (Block* block : live) manager.remove(*block, last);
  }

  Block& block(const BlockTraits& about) {
    Block& made = blocks.emplace_back(about, static_cast<uint32_t>(blocks.size()) + 1);
    manager.add(made);
    live.push_back(&made);
    return made;
  }
  Block& block(uint64_t pages, std::initializer_list<uint32_t> segments) { return block(traits(pages, segments)); }
  void remove(Block& block) {
    manager.remove(block, plan);
    std::erase(live, &block);
  }
  DeviceResidency& device() { return device(process); }
  DeviceResidency& device(ProcessMemory& owner) {
    return devices.emplace_back(manager, owner, static_cast<uint32_t>(devices.size()) + 1);
  }

  Answer make_resident(DeviceResidency& device, std::vector<Block*> list, MakeResidentFlags flags = {}) {
    return manager.make_resident(device, list, flags, plan, trim);
  }
  base::Result<Answer> evict(DeviceResidency& device, std::vector<Block*> list, EvictFlags flags = {}) {
    return manager.evict(device, list, flags, plan, trim);
  }
  // The plan so far, which begins anew.
  std::string planned() {
    std::string text = to_string(plan);
    plan.clear();
    return text;
  }

  Manager manager;
  ProcessMemory process;
  std::deque<DeviceResidency> devices;
  std::deque<Block> blocks;
  std::vector<Block*> live;
  Plan plan;
  uint64_t trim = 0;
};

}  // namespace vidmm::testing
