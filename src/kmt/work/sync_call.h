#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dxgk/sync/client_event.h"
#include "dxgk/sync/sync_object.h"
#include "kmt/client/client.h"

// What a client wants signalled or waited for, copied from its memory and judged. The calls that go through a context's
// queue have different arguments with the same meaning: each has a reader here, which returns one of two structures.
namespace kmt {

using FenceValues = std::vector<dxgk::FenceValue>;

// D3DKMTSignalSynchronizationObject(2), D3DKMTSignalSynchronizationObjectFromGpu(2).
struct SignalCall {
  std::vector<D3DKMT_HANDLE> contexts;  // the objects are signalled when all of them have come to the signal
  FenceValues objects;                  // a value means something to fences only
  vidsch::Rewind rewind = vidsch::Rewind::Refused;
  bool at_submission = false;
  std::optional<base::Ref<dxgk::ClientEvent>> event;  // set instead of signalling objects
};

base::Result<SignalCall> read_signal(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT* user);
base::Result<SignalCall> read_signal(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2* user);
base::Result<SignalCall> read_signal(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU* user);
base::Result<SignalCall> read_signal(Client& client, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2* user);

// D3DKMTWaitForSynchronizationObject(2), D3DKMTWaitForSynchronizationObjectFromGpu. For all of the objects.
struct WaitCall {
  D3DKMT_HANDLE context = 0;
  FenceValues objects;
};

base::Result<WaitCall> read_wait(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT* user);
base::Result<WaitCall> read_wait(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2* user);
base::Result<WaitCall> read_wait(Client& client, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU* user);

// --- What the readers share ---

enum class SyncAccess : uint8_t { Signal, Wait };

// What the handles stand for, each with the value 0. STATUS_ACCESS_DENIED to one that was opened with NoSignal or
// NoWait (documented), STATUS_INVALID_PARAMETER to anything else that is wrong.
base::Result<FenceValues> find_objects(Client& client, std::span<const D3DKMT_HANDLE> handles, SyncAccess access);
// The same for a list in the client's memory.
base::Result<FenceValues> read_objects(Client& client, const D3DKMT_HANDLE* user, UINT count, SyncAccess access);
base::Result<> check_object_count(UINT count);

enum class Fencing : uint8_t { Monitored, Other };
// Monitored fences have a value each, legacy ones share a single one in the same place: a call has one kind or the
// other.
base::Result<Fencing> fencing_of(const FenceValues& objects);
base::Result<> read_values(Client& client, FenceValues& objects, const UINT64* user);
void set_value(FenceValues& objects, uint64_t value);

}  // namespace kmt
