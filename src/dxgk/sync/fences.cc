#include "dxgk/sync/fences.h"

#include <utility>
#include <vector>

#include "dxgk/sync/cpu_wait.h"

namespace dxgk {

void Fences::sample() {
  act([this](vidsch::WokenList& woken) REQUIRES(lock_) {
    if (!memory_->take_writes(written_)) return watched_.sample(woken);
    for (const nt::WriteLog::Range& range : written_) watched_.written(range.address, range.bytes);
    watched_.sample_written(woken);
  });
}

void Fences::end_waits(const Device& device) {
  std::vector<base::Ref<CpuWait>> ended;
  {
    base::Guard guard(lock_);
    for (CpuWait* wait = first_wait_; wait; wait = wait->next_) {
      if (&wait->device_ != &device) continue;
      base::Ref<CpuWait> kept = base::Ref<CpuWait>::share(*wait);
      if (wait->cancel()) ended.push_back(std::move(kept));
    }
  }
  for (auto& wait : ended) wait->wake();
}

void Fences::list(CpuWait& wait) {
  wait.next_ = first_wait_;
  if (first_wait_) first_wait_->previous_ = &wait;
  first_wait_ = &wait;
  wait.listed_ = true;
}

void Fences::unlist(CpuWait& wait) {
  if (!std::exchange(wait.listed_, false)) return;
  (wait.previous_ ? wait.previous_->next_ : first_wait_) = wait.next_;
  if (wait.next_) wait.next_->previous_ = wait.previous_;
  wait.previous_ = wait.next_ = nullptr;
}

}  // namespace dxgk
