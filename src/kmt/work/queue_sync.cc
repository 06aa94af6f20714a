// D3DKMTSignalSynchronizationObject(2), D3DKMTSignalSynchronizationObjectFromGpu(2),
// D3DKMTWaitForSynchronizationObject(2), D3DKMTWaitForSynchronizationObjectFromGpu: through the queues of contexts.
#include "dxgk/sync/queue_sync.h"

#include "kmt/client/thunks.h"
#include "kmt/work/sync_call.h"

namespace kmt {
namespace {

using Contexts = std::vector<base::Ref<dxgk::Context>>;

base::Result<Contexts> find_contexts(Client& client, std::span<const D3DKMT_HANDLE> handles) {
  Contexts contexts;
  for (D3DKMT_HANDLE handle : handles) contexts.push_back(TRY(client.find<dxgk::Context>(handle)));
  return contexts;
}

template <typename Args>
base::Result<> signal(Client& client, const Args* user) {
  SignalCall call = TRY(read_signal(client, user));
  Contexts contexts = TRY(find_contexts(client, call.contexts));
  if (contexts.empty()) return base::Failure(STATUS_INVALID_PARAMETER, "no context to signal from");
  if (call.at_submission) return dxgk::SyncObject::signal(call.objects, call.rewind);
  dxgk::ParkingLock lock(contexts.front()->device().mutex());
  return dxgk::queue_signal(contexts, call.objects, call.rewind, std::move(call.event));
}

template <typename Args>
base::Result<> wait(Client& client, const Args* user) {
  WaitCall call = TRY(read_wait(client, user));
  base::Ref<dxgk::Context> context = TRY(client.find<dxgk::Context>(call.context));
  dxgk::ParkingLock lock(context->device().mutex());
  return dxgk::queue_wait(*context, call.objects);
}

}  // namespace

Answer serve::SignalSynchronizationObject(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT* user) {
  return signal(client, user);
}

Answer serve::SignalSynchronizationObject2(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2* user) {
  return signal(client, user);
}

Answer serve::SignalSynchronizationObjectFromGpu(Client& client,
                                                 const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU* user) {
  return signal(client, user);
}

Answer serve::SignalSynchronizationObjectFromGpu2(Client& client,
                                                  const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2* user) {
  return signal(client, user);
}

Answer serve::WaitForSynchronizationObject(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT* user) {
  return wait(client, user);
}

Answer serve::WaitForSynchronizationObject2(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2* user) {
  return wait(client, user);
}

Answer serve::WaitForSynchronizationObjectFromGpu(Client& client,
                                                  const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU* user) {
  return wait(client, user);
}

}  // namespace kmt
