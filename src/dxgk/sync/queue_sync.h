#pragma once

#include <optional>
#include <span>

#include "dxgk/object/context.h"
#include "dxgk/sync/client_event.h"
#include "dxgk/sync/sync_object.h"

namespace dxgk {

// Signals and waits in the queues of contexts: each has its turn behind what was queued before it. With the device's
// mutex held, like every submission.

// Signalled when all contexts have come this far, by the last of them. If there is an event instead of objects, it is
// set.
base::Result<> queue_signal(std::span<const base::Ref<Context>> contexts, std::span<const FenceValue> objects,
                            vidsch::Rewind rewind, std::optional<base::Ref<ClientEvent>> event);
// What is queued behind it waits for all of the objects.
base::Result<> queue_wait(Context& context, std::span<const FenceValue> objects);

// Where the process's GPU page tables have the memory of a fence; 0 on adapters without GPU virtual addresses, and for
// objects that have no memory. What is submitted from here on can use it.
base::Result<D3DGPU_VIRTUAL_ADDRESS> gpu_address_of(Device& device, const SyncObject& object);

}  // namespace dxgk
