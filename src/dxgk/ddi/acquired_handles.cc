#include "dxgk/ddi/acquired_handles.h"

#include <fmt/format.h>

#include "dxgk/adapter/adapter.h"
#include "nt/machine/machine.h"

namespace dxgk {

// One call of DxgkCbAcquireHandleData that has not been taken back.
class AcquiredHandles::Acquired : public ob::Object {
 public:
  Acquired(ob::ObjectKind kind, ob::Ordinals& ordinals, Adapter& adapter, std::span<const base::Ref<Allocation>> held,
           base::StackId stack)
      : ob::Object(kind, ordinals), adapter_(adapter), allocations(held.begin(), held.end()), acquired_at(stack) {}

  Adapter& adapter() const { return adapter_; }

 private:
  Adapter& adapter_;

 public:
  const std::vector<base::Ref<Allocation>> allocations;
  const base::StackId acquired_at;
};

// The type is the handle's kind, so that a release as another type finds nothing.
template <ob::ObjectKind Kind>
class AcquiredHandles::AcquiredAs final : public Acquired {
 public:
  static constexpr ob::ObjectKind kKind = Kind;
  AcquiredAs(ob::Ordinals& ordinals, Adapter& adapter, std::span<const base::Ref<Allocation>> held, base::StackId stack)
      : Acquired(Kind, ordinals, adapter, held, stack) {}
};

base::Result<HANDLE> AcquiredHandles::acquire(DXGK_HANDLE_TYPE type, Adapter& adapter,
                                              std::span<const base::Ref<Allocation>> allocations) {
  for (size_t i = 0; i < allocations.size(); ++i) {
    if (allocations[i]->hold()) continue;
    while (i-- > 0) allocations[i]->let_go();
    return base::Failure(STATUS_INVALID_HANDLE, "the allocation is being destroyed");
  }
  return type == DXGK_HANDLE_RESOURCE ? publish<ob::ObjectKind::Resource>(adapter, allocations)
                                      : publish<ob::ObjectKind::Allocation>(adapter, allocations);
}

template <ob::ObjectKind Kind>
base::Result<HANDLE> AcquiredHandles::publish(Adapter& adapter, std::span<const base::Ref<Allocation>> allocations) {
  auto acquired = ob::UnpublishedObject<AcquiredAs<Kind>>::adopt(
      new AcquiredAs<Kind>(ordinals_, adapter, allocations, machine_.here_id()));
  auto reservation = table_.reserve();
  if (!reservation.ok()) {
    let_go(*acquired);
    return reservation.failure();
  }
  return reinterpret_cast<HANDLE>(reservation.take().publish(std::move(acquired)));
}

void AcquiredHandles::release(HANDLE release_handle, DXGK_HANDLE_TYPE type) {
  if (type == DXGK_HANDLE_RESOURCE) {
    close<ob::ObjectKind::Resource>(release_handle);
  } else {
    close<ob::ObjectKind::Allocation>(release_handle);
  }
}

template <ob::ObjectKind Kind>
void AcquiredHandles::close(HANDLE release_handle) {
  auto number = reinterpret_cast<uintptr_t>(release_handle);
  auto closed = table_.close<AcquiredAs<Kind>>(number, {machine_.here_id(), machine_.self().ordinal});
  if (closed.ok()) {
    let_go(*closed.take());
    return;
  }
  std::vector<nt::RoleStack> before;
  if (auto last = table_.last_close(number)) {
    before.push_back({"released", machine_.stacks().get(last->site.stack)});
  }
  const char* what = closed.error() == ob::LookupFault::WrongType ? "a release handle of another DXGK_HANDLE_TYPE"
                     : before.empty()                             ? "no release handle"
                                                                  : "a release handle that was released before";
  std::string sentence = fmt::format("DxgkCbReleaseHandleData was given {}: {}", what, ob::describe(closed.error()));
  machine_.report_violation(nt::Violation::HandleDataReleasedTwice, std::move(sentence), std::move(before));
}

void AcquiredHandles::let_go(Acquired& acquired) {
  bool last = false;
  for (const auto& allocation : acquired.allocations) last |= allocation->let_go();
  if (last) acquired.adapter().destructions().kick();
}

std::vector<uint64_t> AcquiredHandles::handles_of(const Adapter& adapter) {
  std::vector<uint64_t> handles;
  table_.for_each([&](uint64_t handle, ob::Object& object) {
    if (&static_cast<Acquired&>(object).adapter() == &adapter) handles.push_back(handle);
  });
  return handles;
}

void AcquiredHandles::let_go_of(Adapter& adapter, Tell tell) {
  for (uint64_t handle : handles_of(adapter)) {
    auto object = table_.close<ob::Object>(handle);
    if (!object.ok()) continue;
    auto& acquired = static_cast<Acquired&>(*object.value());
    if (tell == Tell::Yes) {
      machine_.report_violation(nt::Violation::HandleDataLeft,
                                "handle data was acquired with DxgkCbAcquireHandleData and never released",
                                {{"acquired", machine_.stacks().get(acquired.acquired_at)}});
    }
    let_go(acquired);
  }
}

}  // namespace dxgk
