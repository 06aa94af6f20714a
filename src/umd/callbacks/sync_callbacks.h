#pragma once

#include "abi/um/d3dumddi.h"

namespace umd {

// A part of fill_sync_callbacks: what goes through the queues of contexts.
void fill_queue_sync_callbacks(D3DDDI_DEVICECALLBACKS& table);

}  // namespace umd
