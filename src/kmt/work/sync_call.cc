#include "kmt/work/sync_call.h"

#include <algorithm>

#include "kmt/client/scratch.h"

namespace kmt {
namespace {

using dxgk::SyncObjectView;

// Documented for what is signalled and for what is waited for; WSL refuses none at all, too.
constexpr UINT kMaxObjects = D3DDDI_MAX_OBJECT_SIGNALED;
static_assert(kMaxObjects == D3DDDI_MAX_OBJECT_WAITED_ON);

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Result<> check_access(const SyncObjectView& view, SyncAccess access) {
  if (access == SyncAccess::Signal && !view.may_signal()) {
    return base::Failure(STATUS_ACCESS_DENIED, "the object was opened with NoSignal");
  }
  if (access == SyncAccess::Wait && !view.may_wait()) {
    return base::Failure(STATUS_ACCESS_DENIED, "the object was opened with NoWait");
  }
  if (access == SyncAccess::Wait && view.object().type() == D3DDDI_CPU_NOTIFICATION) {
    return refuse("a CPU notification is waited for by its event");
  }
  return {};
}

}  // namespace

base::Result<> check_object_count(UINT count) {
  if (count == 0 || count > kMaxObjects) return refuse("not 1 to 32 objects");
  return {};
}

base::Result<FenceValues> find_objects(Client& client, std::span<const D3DKMT_HANDLE> handles, SyncAccess access) {
  FenceValues objects;
  objects.reserve(handles.size());
  for (D3DKMT_HANDLE handle : handles) {
    base::Ref<SyncObjectView> view = TRY(client.find<SyncObjectView>(handle));
    TRY(check_access(*view, access));
    objects.push_back({base::Ref<dxgk::SyncObject>::share(view->object()), 0});
  }
  return objects;
}

base::Result<FenceValues> read_objects(Client& client, const D3DKMT_HANDLE* user, UINT count, SyncAccess access) {
  TRY(check_object_count(count));
  HandleScratch handles;
  TRY(handles.make(count));
  TRY(client.memory().read(handles.span(), user));
  return find_objects(client, handles.span(), access);
}

base::Result<Fencing> fencing_of(const FenceValues& objects) {
  auto monitored =
      std::ranges::count_if(objects, [](const dxgk::FenceValue& each) { return each.object->monitored(); });
  if (monitored == 0) return Fencing::Other;
  if (static_cast<size_t>(monitored) != objects.size()) {
    return refuse("monitored fences and other objects in one call, which has values for one kind only");
  }
  return Fencing::Monitored;
}

base::Result<> read_values(Client& client, FenceValues& objects, const UINT64* user) {
  Scratch<UINT64, kMaxObjects> values;
  TRY(values.make(objects.size()));
  TRY(client.memory().read(values.span(), user));
  for (size_t i = 0; i < objects.size(); ++i) objects[i].value = values[i];
  return {};
}

void set_value(FenceValues& objects, uint64_t value) {
  for (dxgk::FenceValue& each : objects) each.value = value;
}

}  // namespace kmt
