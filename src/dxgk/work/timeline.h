#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/mutex.h"

namespace dxgk {

// Work that was handed to a queue of the GPU and comes back in order: value n has passed when everything up to n is
// done. The scheduler queues and completes; a test does both by hand. Any thread.
class Timeline {
 public:
  // Called, with no lock held, after the timeline has moved. Outlives its timelines.
  class Listener {
   public:
    virtual void timeline_moved() = 0;

   protected:
    ~Listener() = default;
  };

  explicit Timeline(Listener& listener) : listener_(listener) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  uint64_t queued() const { return queued_.load(std::memory_order_acquire); }
  uint64_t completed() const { return completed_.load(std::memory_order_acquire); }
  bool passed(uint64_t value) const { return completed() >= value; }
  bool idle() const { return completed() == queued(); }

  uint64_t queue() { return queued_.fetch_add(1, std::memory_order_acq_rel) + 1; }
  // Never backwards, never beyond what was queued.
  void complete(uint64_t value);
  // A lost device: nothing that was queued will ever run (TR-07).
  void complete_all() { complete(queued()); }

 private:
  Listener& listener_;
  std::atomic<uint64_t> queued_{0};
  std::atomic<uint64_t> completed_{0};
};

// Everything that had been queued on some timelines at one moment.
class Moment {
 public:
  struct Point {
    const Timeline* timeline;
    uint64_t value;
  };

  void add(const Timeline& timeline) {
    if (!timeline.idle()) points_.push_back({&timeline, timeline.queued()});
  }
  // The first that has not passed; null if all have.
  const Point* left() const {
    for (const Point& point : points_) {
      if (!point.timeline->passed(point.value)) return &point;
    }
    return nullptr;
  }
  bool passed() const { return !left(); }

 private:
  std::vector<Point> points_;
};

}  // namespace dxgk
