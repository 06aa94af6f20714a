#pragma once

#include <vector>

#include "abi/um/d3dumddi.h"
#include "kmt/client/client.h"

namespace umd {

// A shared resource as a device of the kernel opened it, with what its creator's driver said about it.
struct OpenedResource {
  static base::Result<OpenedResource> open(kmt::Client& client, D3DKMT_HANDLE device, D3DKMT_HANDLE global_share);

  D3DKMT_HANDLE resource = 0;
  std::vector<D3DDDI_OPENALLOCATIONINFO> allocations;  // their private data lies in total_data
  std::vector<uint8_t> private_data;                   // of the resource
  std::vector<uint8_t> runtime_data;
  std::vector<uint8_t> total_data;
};

}  // namespace umd
