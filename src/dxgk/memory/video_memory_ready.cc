// When a device may run, and which blocks are evicted for it; what is left after a reset.
#include <algorithm>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/device.h"
#include "dxgk/paging/paging_thread.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/gpu.h"

namespace dxgk {

// A device runs at least one packet before its memory may be evicted again; then it waits in line behind the devices
// that found no room.
bool VideoMemory::ready(DeviceQueue& device) {
  base::Guard guard(lock_);
  if (device.residency.complete()) {
    if (!passed(device.resident_after)) return false;
    if (!waiting_.empty() && device.has_run && !device.waiting) {
      wait_in_line(device);
      return false;
    }
    plan_.clear();
    CHECK(manager_->prepare(device.residency, plan_) == vidmm::Answer::Done);
    if (!std::exchange(device.running, true)) running_.push_back(&device);
    device.has_run = true;
    return true;
  }
  plan_.clear();
  vidmm::Answer answer = manager_->prepare(device.residency, plan_);
  if (answer == vidmm::Answer::OutOfMemory && mark_idle_devices()) {
    plan_.clear();
    answer = manager_->prepare(device.residency, plan_);
  }
  if (answer == vidmm::Answer::OutOfMemory && running_.empty()) {
    plan_.clear();
    answer = manager_->prepare(device.residency, plan_, vidmm::Reach::Running);
  }
  bool possible = answer == vidmm::Answer::Done || answer == vidmm::Answer::Pending;
  if (possible) {
    post_for(device);
  } else if (answer == vidmm::Answer::OutOfMemory && !running_.empty()) {
    wait_in_line(device);
  } else {
    // Alone, and there is no room or a locked block has no place (US-03): asking again would give the same answer.
    post(losing(device.owner));
  }
  return false;
}

// Gpu::lose cannot be called under the scheduler's lock: the paging thread calls it.
PagingWork VideoMemory::losing(Device& device) {
  gave_up_.store(true, std::memory_order_relaxed);
  PagingWork work;
  work.done = [device = base::Ref<Device>::share(device)] {
    device->adapter().gpu().lose(*device, Device::State::Error);
  };
  return work;
}

void VideoMemory::post_for(DeviceQueue& device) {
  device.has_run = false;
  device.waiting = false;
  if (!std::exchange(device.running, true)) running_.push_back(&device);
  static_cast<void>(post_plan(&device, nullptr));
}

void VideoMemory::wait_in_line(DeviceQueue& device) {
  if (std::exchange(device.waiting, true)) return;
  waiting_.push_back(&device);
  has_waiters_.store(true, std::memory_order_relaxed);
}

bool VideoMemory::mark_idle_devices() {
  auto idle = [this](DeviceQueue* device) {
    lock_.assert_held();
    if (!device->running) return false;  // a packet that holds its blocks
    // A device that waits in line does not run, whatever it was prepared for: two of them must not wait for each other.
    if (!(device->has_run || device->waiting) || device->state.in_hardware() != 0) return false;
    manager_->mark_idle(device->residency);
    device->running = false;
    return true;
  };
  return std::erase_if(running_, idle) != 0;
}

// Earlier plans are invalid: everything is planned anew, from what is left. Alone in the driver, on the scheduler's
// thread; the paging thread stops its current work.
void VideoMemory::lose_contents() {
  if (!thread_) return;  // not started yet, or stopped: no segment has contents
  vidmm::Plan plan;
  {
    base::Guard guard(lock_);
    thread_->leave_off();
    for (PagingWork& work : posted_) PagingThread::dispose(work);
    manager_->lose_contents(plan);
    show_backings();
  }
  thread_->tell_losses(plan);
  PagingWork work;
  {
    base::Guard guard(lock_);
    plan_.clear();
    CHECK_MSG(manager_->restore_pinned(plan_) != vidmm::Answer::OutOfMemory, "what was pinned fits again");
    static_cast<void>(add(plan_, work));
    for (AddressSpace* space : spaces_) static_cast<void>(space->write_again(work));
    if (!work.steps.empty()) post(std::move(work));
  }
  kick();
}

void VideoMemory::take_waiters(std::vector<DeviceQueue*>& out) {
  base::Guard guard(lock_);
  if (waiting_.empty() || (!mark_idle_devices() && !running_.empty())) return;
  for (DeviceQueue* device : waiting_) device->waiting = false;
  out.swap(waiting_);
  waiting_.clear();
  has_waiters_.store(false, std::memory_order_relaxed);
}

void VideoMemory::forget(DeviceQueue& device) {
  {
    base::Guard guard(lock_);
    std::erase(running_, &device);
    std::erase(waiting_, &device);
    if (waiting_.empty()) has_waiters_.store(false, std::memory_order_relaxed);
    for (PagingWork& work : posted_) {
      if (work.device == &device) work.device = nullptr;
    }
    manager_->forget_device(device.residency);
  }
  thread_->forget(device);
}

}  // namespace dxgk
