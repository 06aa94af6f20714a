// D3DKMTCreateKeyedMutex(2), D3DKMTOpenKeyedMutex(2), D3DKMTOpenKeyedMutexFromNtHandle, D3DKMTDestroyKeyedMutex,
// D3DKMTAcquireKeyedMutex(2), D3DKMTReleaseKeyedMutex(2).
#include "dxgk/sync/keyed_mutex.h"

#include <algorithm>

#include "kmt/allocation/share.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"
#include "nt/ke/timers.h"

namespace kmt {
namespace {

using dxgk::KeyedMutex;
using dxgk::KeyedMutexView;
using Opened = dxgk::UnpublishedHandle<KeyedMutexView>;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Result<> read_data(Client& client, ByteScratch& data, const void* user, UINT bytes) {
  TRY(data.make(bytes));
  return client.memory().read(data.span(), user);
}

base::Result<Opened> open(Client& client, ob::UnpublishedObject<KeyedMutex> mutex) {
  return make_view<KeyedMutexView>(client, std::move(mutex));
}

// --- Creation ---

template <typename Args>
base::Result<> create_with(Client& client, Args* user, Args& args, KeyedMutex::Sharing sharing,
                           std::span<const uint8_t> data) {
  ob::UnpublishedObject<KeyedMutex> mutex = KeyedMutex::create(client.machine(), client.kernel().ordinals(), sharing,
                                                               args.InitialValue, {data.begin(), data.end()});
  args.hSharedHandle = 0;
  if (sharing == KeyedMutex::Sharing::GlobalHandle) {
    args.hSharedHandle = TRY(client.kernel().global_handles().share(mutex));
  }
  Opened opened = TRY(open(client, std::move(mutex)));
  args.hKeyedMutex = opened.handle();
  TRY(client.memory().write(user, args));
  opened.publish();
  return {};
}

// --- Opening ---

// An opener's buffer holds initial data, for a mutex that has none yet (documented); it is never written (observed).
template <typename Args>
base::Result<> open_with(Client& client, Args* user, Args& args, std::span<const uint8_t> data) {
  auto mutex = client.kernel().global_handles().open<KeyedMutex>(args.hSharedHandle);
  if (!mutex.ok()) return refuse(ob::describe(mutex.error()));
  Opened opened = TRY(open(client, mutex.take()));
  TRY(opened->mutex().offer_runtime_data(data));
  args.hKeyedMutex = opened.handle();
  TRY(client.memory().write(user, args));
  opened.publish();
  return {};
}

// --- Acquiring ---

NTSTATUS status_of(KeyedMutex::Outcome outcome) {
  switch (outcome) {
    case KeyedMutex::Outcome::Acquired:
      return STATUS_SUCCESS;
    case KeyedMutex::Outcome::TimedOut:
      return STATUS_TIMEOUT;
    case KeyedMutex::Outcome::Abandoned:
      return STATUS_ABANDONED;
  }
  CHECK(false);
}

base::Result<base::TimeNs> read_deadline(Client& client, PLARGE_INTEGER user) {
  if (!user) return base::kForever;
  return client.machine().timers().deadline_of(TRY(client.memory().read(user)));
}

base::Result<> write_data(Client& client, KeyedMutex& mutex, void* user, UINT bytes) {
  std::vector<uint8_t> data = mutex.runtime_data();
  data.resize(std::min<size_t>(data.size(), bytes));
  return client.memory().write(user, std::span<const uint8_t>(data));
}

template <typename Args>
base::Result<NTSTATUS> acquire_with(Client& client, Args* user, Args& args, void* data, UINT data_bytes) {
  base::Ref<KeyedMutexView> view = TRY(client.find<KeyedMutexView>(args.hKeyedMutex));
  KeyedMutex& mutex = view->mutex();
  TRY(mutex.check_runtime_data(data_bytes));
  auto acquisition = TRY(mutex.acquire(*view, args.Key, TRY(read_deadline(client, args.pTimeout))));
  args.FenceValue = acquisition.fence;  // zero without success (observed)
  bool acquired = acquisition.outcome == KeyedMutex::Outcome::Acquired;
  base::Result<> told = acquired ? write_data(client, mutex, data, data_bytes) : base::Result<>();
  if (told.ok()) told = client.memory().write(user, args);
  // If the client cannot be told, the mutex is released again.
  if (acquired && !told.ok()) TRY(mutex.release_to(*view, args.Key, acquisition.fence));
  TRY(std::move(told));
  return status_of(acquisition.outcome);
}

}  // namespace

Answer serve::CreateKeyedMutex(Client& client, D3DKMT_CREATEKEYEDMUTEX* user) {
  auto args = TRY(client.memory().read(user));
  return create_with(client, user, args, KeyedMutex::Sharing::GlobalHandle, {});
}

Answer serve::CreateKeyedMutex2(Client& client, D3DKMT_CREATEKEYEDMUTEX2* user) {
  auto args = TRY(client.memory().read(user));
  if (args.Flags.Reserved) return refuse("reserved flags are set");
  ByteScratch data;
  TRY(read_data(client, data, args.pPrivateRuntimeData, args.PrivateRuntimeDataSize));
  auto sharing = args.Flags.NtSecuritySharing ? KeyedMutex::Sharing::NtHandle : KeyedMutex::Sharing::GlobalHandle;
  return create_with(client, user, args, sharing, data.span());
}

Answer serve::OpenKeyedMutex(Client& client, D3DKMT_OPENKEYEDMUTEX* user) {
  auto args = TRY(client.memory().read(user));
  return open_with(client, user, args, {});
}

Answer serve::OpenKeyedMutex2(Client& client, D3DKMT_OPENKEYEDMUTEX2* user) {
  auto args = TRY(client.memory().read(user));
  ByteScratch data;
  TRY(read_data(client, data, args.pPrivateRuntimeData, args.PrivateRuntimeDataSize));
  return open_with(client, user, args, data.span());
}

// A keyed mutex is never shared by itself, and the handle of a resource that was shared with one is refused (observed):
// there is no handle that this could open.
Answer serve::OpenKeyedMutexFromNtHandle(Client& client, D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE* user) {
  auto args = TRY(client.memory().read(user));
  TRY(find_nt<ob::Object>(client, args.hNtHandle));
  return base::Failure(STATUS_OBJECT_TYPE_MISMATCH, "an NT handle is never to a keyed mutex alone");
}

Answer serve::DestroyKeyedMutex(Client& client, const D3DKMT_DESTROYKEYEDMUTEX* user) {
  auto args = TRY(client.memory().read(user));
  auto closed = dxgk::close_handle<KeyedMutexView>(client.process(), args.hKeyedMutex);
  if (!closed.ok()) return refuse(ob::describe(closed.error()));
  return {};
}

Answer serve::AcquireKeyedMutex(Client& client, D3DKMT_ACQUIREKEYEDMUTEX* user) {
  auto args = TRY(client.memory().read(user));
  return acquire_with(client, user, args, nullptr, 0);
}

Answer serve::AcquireKeyedMutex2(Client& client, D3DKMT_ACQUIREKEYEDMUTEX2* user) {
  auto args = TRY(client.memory().read(user));
  if (args.PrivateRuntimeDataSize && !args.pPrivateRuntimeData) return refuse("a size without a buffer");
  return acquire_with(client, user, args, args.pPrivateRuntimeData, args.PrivateRuntimeDataSize);
}

Answer serve::ReleaseKeyedMutex(Client& client, D3DKMT_RELEASEKEYEDMUTEX* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<KeyedMutexView> view = TRY(client.find<KeyedMutexView>(args.hKeyedMutex));
  return view->mutex().release_to(*view, args.Key, args.FenceValue);
}

Answer serve::ReleaseKeyedMutex2(Client& client, D3DKMT_RELEASEKEYEDMUTEX2* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<KeyedMutexView> view = TRY(client.find<KeyedMutexView>(args.hKeyedMutex));
  ByteScratch data;
  TRY(read_data(client, data, args.pPrivateRuntimeData, args.PrivateRuntimeDataSize));
  return view->mutex().release_to(*view, args.Key, args.FenceValue, data.span());
}

}  // namespace kmt
