// D3DKMTSignalSynchronizationObject(2), D3DKMTSignalSynchronizationObjectFromGpu(2),
// D3DKMTWaitForSynchronizationObject(2), D3DKMTWaitForSynchronizationObjectFromGpu: through the queues of contexts.
#include "dxgk/queue_sync.h"

#include "kmt/sync_call.h"
#include "kmt/thunks.h"

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
  dxgk::Inside inside(contexts.front()->device().gate());
  return dxgk::queue_signal(contexts, call.objects, call.rewind, std::move(call.event));
}

template <typename Args>
base::Result<> wait(Client& client, const Args* user) {
  WaitCall call = TRY(read_wait(client, user));
  base::Ref<dxgk::Context> context = TRY(client.find<dxgk::Context>(call.context));
  dxgk::Inside inside(context->device().gate());
  return dxgk::queue_wait(*context, call.objects);
}

}  // namespace

NTSTATUS SignalSynchronizationObject(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT* user) {
  return client.finish("D3DKMTSignalSynchronizationObject", signal(client, user));
}

NTSTATUS SignalSynchronizationObject2(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2* user) {
  return client.finish("D3DKMTSignalSynchronizationObject2", signal(client, user));
}

NTSTATUS SignalSynchronizationObjectFromGpu(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU* user) {
  return client.finish("D3DKMTSignalSynchronizationObjectFromGpu", signal(client, user));
}

NTSTATUS SignalSynchronizationObjectFromGpu2(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2* user) {
  return client.finish("D3DKMTSignalSynchronizationObjectFromGpu2", signal(client, user));
}

NTSTATUS WaitForSynchronizationObject(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT* user) {
  return client.finish("D3DKMTWaitForSynchronizationObject", wait(client, user));
}

NTSTATUS WaitForSynchronizationObject2(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2* user) {
  return client.finish("D3DKMTWaitForSynchronizationObject2", wait(client, user));
}

NTSTATUS WaitForSynchronizationObjectFromGpu(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU* user) {
  return client.finish("D3DKMTWaitForSynchronizationObjectFromGpu", wait(client, user));
}

}  // namespace kmt
