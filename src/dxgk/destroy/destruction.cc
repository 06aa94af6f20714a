#include "dxgk/destroy/destruction.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "dxgk/adapter/adapter.h"
#include "dxgk/ddi/allocation_ddi.h"
#include "dxgk/memory/page_fault.h"
#include "dxgk/memory/video_block.h"
#include "dxgk/memory/video_memory.h"

namespace dxgk {

Destruction::Destruction(Device& device, std::span<const base::Ref<AllocationView>> views, DestroyFlags flags)
    : device_(base::Ref<Device>::share(device)), adapter_(device.adapter()), views_(views.begin(), views.end()) {
  if (!views_.empty() && views_.front()->resource) {
    resource_ = base::Ref<Resource>::share(views_.front()->resource->resource());
    (*resource_)->unfinished_children.fetch_add(1, std::memory_order_relaxed);
  }
  remember_work(flags);
}

Destruction::Destruction(Device& device, base::Ref<ResourceView> resource, DestroyFlags flags)
    : device_(base::Ref<Device>::share(device)),
      adapter_(device.adapter()),
      resource_view_(resource),
      resource_(base::Ref<Resource>::share(resource->resource())) {
  views_.reserve(resource->views.size());
  for (AllocationView& view : resource->views) views_.push_back(base::Ref<AllocationView>::share(view));
  remember_work(flags);
}

Destruction::Destruction(base::Ref<Resource> ended)
    : adapter_(ended->adapter()), resource_(ended), stage_(Stage::Holding) {
  take_resource();
}

Destruction::~Destruction() { CHECK_MSG(stage_ == Stage::Done, "a destruction is dropped half-way"); }

// AssumeNotInUse promises something about the owner's own queued commands only; paging work is always waited for.
void Destruction::remember_work(DestroyFlags flags) {
  if (!flags.assume_not_in_use) work_ = (*device_)->queued_work();
  for (const auto& view : views_) {
    bool shared = resource_ && (*resource_)->shared();  // the flag says nothing of what others queued (KD-19)
    if (flags.assume_not_in_use && !shared) judge_promised_idle(**device_, view->allocation());
    paging_fence_ = std::max(paging_fence_, view->allocation().paging_fence.load(std::memory_order_acquire));
  }
}

ParkingMutex& Destruction::mutex() const { return device_ ? (*device_)->mutex() : adapter_.orphan_mutex(); }

Destruction::Obstacle Destruction::queued_work() const {
  using Kind = Obstacle::Kind;
  if (resource_view_ && (*resource_)->unfinished_children.load(std::memory_order_acquire) != 0) return {Kind::Children};
  if (const Moment::Point* left = work_.left()) return {Kind::Timeline, left->timeline, left->value};
  const Timeline& paging = adapter_.paging_work();
  if (!paging.passed(paging_fence_)) return {Kind::Timeline, &paging, paging_fence_};
  return {};
}

Destruction::Obstacle Destruction::obstacle() const {
  if (stage_ == Stage::Waiting) return queued_work();
  if (stage_ == Stage::Holding || memory_has_passed()) return {};
  return {Obstacle::Kind::Memory, nullptr, memory_work_};
}

bool Destruction::advance() {
  if (stage_ == Stage::Waiting) {
    if (queued_work().kind != Obstacle::Kind::None) return false;
    leave();
    stage_ = Stage::Leaving;
  }
  if (stage_ == Stage::Leaving) {
    if (!memory_has_passed()) return false;
    close_views();
    stage_ = Stage::Holding;
  }
  if (stage_ == Stage::Holding) {
    if (!driver_let_go()) return false;
    release();
    stage_ = Stage::Releasing;
  }
  if (!memory_has_passed()) return false;
  destroy();
  reclaim();
  if (of_children()) (*resource_)->unfinished_children.fetch_sub(1, std::memory_order_release);
  stage_ = Stage::Done;
  if (completion) completion->complete(adapter_.machine());
  return true;
}

bool Destruction::memory_has_passed() const { return memory_work_ == 0 || adapter_.memory().passed(memory_work_); }

// A shared allocation stays for its other openers. Where another device of the process has it open, its addresses stay
// too.
void Destruction::leave() {
  for (const auto& view : views_) {
    Allocation& allocation = view->allocation();
    if (!allocation.video) continue;
    bool shared = resource_ && (*resource_)->shared();
    // Another view of the device keeps it resident.
    if (shared && (*resource_)->views.has(**device_, allocation)) continue;
    uint64_t work = shared ? adapter_.memory().close(**device_, allocation, !open_elsewhere(*view))
                           : adapter_.memory().release(allocation);
    memory_work_ = std::max(memory_work_, work);
  }
}

bool Destruction::open_elsewhere(const AllocationView& view) const {
  return (*resource_)->views.has_elsewhere(**device_, view.allocation());
}

void Destruction::release() {
  memory_work_ = 0;
  for (const auto& allocation : dead_) {
    if (allocation->video) memory_work_ = std::max(memory_work_, adapter_.memory().release(*allocation));
  }
}

// All allocations of one resource are closed in one call (OC-12).
void Destruction::close_views() {
  boost::container::small_vector<AllocationView*, 16> views;
  for (const auto& view : views_) views.push_back(&*view);
  close_at_driver(**device_, {views.data(), views.size()});
  if (resource_view_) {
    if ((*resource_view_)->close_resource()) take_resource();
  } else {
    take_views_allocations();  // a resource that they belong to stays (KD-12)
  }
}

// The resource has no opener any more.
void Destruction::take_resource() {
  Resource& resource = **resource_;
  destroy_resource_ = resource.created.exchange(false);
  if (resource.shared()) {
    dead_ = std::exchange(resource.allocations, {});
  } else {
    take_views_allocations();
  }
}

void Destruction::take_views_allocations() {
  dead_.reserve(views_.size());
  for (const auto& view : views_) dead_.push_back(base::Ref<Allocation>::share(view->allocation()));
}

// The driver call that ends a resource comes last (DA-09), so all of its allocations wait for the one that is held.
bool Destruction::driver_let_go() {
  while (let_go_ < dead_.size() && dead_[let_go_]->begin_destroy()) ++let_go_;
  return let_go_ == dead_.size();
}

void Destruction::destroy() {
  if (dead_.empty() && !destroy_resource_) return;
  nt::Scope& scope = dead_.empty() ? adapter_.scope() : dead_.front()->scope();
  destroy_at_driver(adapter_, device_ ? &(*device_)->process() : nullptr, scope, dead_,
                    resource_ ? &**resource_ : nullptr, destroy_resource_);
}

void Destruction::reclaim() {
  for (const auto& allocation : dead_) {
    std::unique_ptr<VideoBlock> video = adapter_.memory().take(*allocation);
    std::unique_ptr<vidmm::CpuView> view = video ? std::move(video->cpu_view) : nullptr;
    video.reset();
    bool in_hands = allocation->cpu_locks != 0 && !adapter_.present() && device_;
    if (in_hands) (*device_)->process().keep({std::move(allocation->backing), std::move(view)});
    allocation->backing.drop();
  }
  dead_.clear();
  views_.clear();
}

}  // namespace dxgk
