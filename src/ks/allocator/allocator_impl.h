#pragma once

#include <atomic>
#include <string>

#include "base/mutex.h"
#include "ks/allocator/allocator.h"
#include "ks/allocator/allocator_frames.h"
#include "ks/allocator/frame_source.h"
#include "ks/allocator/waiting_allocs.h"
#include "ks/device/system.h"
#include "ks/property/event_list.h"

namespace ks {

// The inside of an allocator, for allocator*.cc.
struct AllocatorNode::Impl {
  Impl(System& its_system, FILE_OBJECT& its_file, Pin* its_pin, std::string its_name,
       const KSALLOCATOR_FRAMING& its_framing)
      : system(its_system),
        machine(its_system.machine()),
        file(its_file),
        pin(its_pin),
        name(std::move(its_name)),
        framing(its_framing),
        events(its_system),
        waiting(machine),
        frames(its_framing.FrameSize) {}

  System& system;
  nt::Machine& machine;
  FILE_OBJECT& file;
  Pin* const pin;          // kept by the file
  const std::string name;  // of the pin, for sentences: "AVStrMiniAllocate of …"
  const KSALLOCATOR_FRAMING framing;
  std::unique_ptr<FrameSource> source;
  bool drivers_own = false;
  EventList events;
  WaitingAllocs waiting;
  std::atomic<bool> serving_later{false};

  base::Mutex<base::LockRank::Adapter> lock;
  AllocatorState state GUARDED_BY(lock) = AllocatorState::Created;
  AllocatorFrames frames GUARDED_BY(lock);
  uint32_t taken GUARDED_BY(lock) = 0;  // frames that are out, and those that are being asked for or given back
  uint64_t allocated GUARDED_BY(lock) = 0;
  uint64_t refused GUARDED_BY(lock) = 0;
  uint64_t freed GUARDED_BY(lock) = 0;
  uint32_t most_outstanding GUARDED_BY(lock) = 0;
  uint32_t drained GUARDED_BY(lock) = 0;
  uint32_t left_in_scope GUARDED_BY(lock) = 0;
};

}  // namespace ks
