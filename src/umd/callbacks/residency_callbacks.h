#pragma once

#include "abi/um/d3dumddi.h"

namespace umd {

// Parts of fill_residency_callbacks.
void fill_offer_callbacks(D3DDDI_DEVICECALLBACKS& table);        // offer, reclaim
void fill_gpu_address_callbacks(D3DDDI_DEVICECALLBACKS& table);  // reserve, map, free, update
void fill_paging_queue_callbacks(D3DDDI_DEVICECALLBACKS& table);

}  // namespace umd
