// D3DKMTQueryResourceInfo, D3DKMTOpenResource and D3DKMTOpenResource2: by global handles. By NT handles: share.cc.
#include "dxgk/object/resource.h"

#include "dxgk/adapter/adapter.h"
#include "kmt/allocation/open_resource.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using Shared = ob::UnpublishedObject<dxgk::Resource>;

base::Result<Shared> open_global(Client& client, dxgk::Device& device, D3DKMT_HANDLE handle) {
  auto found = dxgk::find_shared(client.kernel(), handle);
  if (!found.ok()) {
    return client.refuse(nt::Violation::OpenLocalHandle, STATUS_INVALID_PARAMETER, ob::describe(found.error()));
  }
  Shared resource = found.take();
  if (&resource->adapter() != &device.adapter()) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the resource lives on another adapter");
  }
  if (!resource->created) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the resource is still being created");
  }
  return resource;
}

base::Result<> open(Client& client, D3DKMT_OPENRESOURCE* user, OpenTarget::Infos version) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  dxgk::ParkingLock lock(device->mutex());
  TRY(device->usable());
  Shared resource = TRY(open_global(client, *device, args.hGlobalShare));
  OpenTarget target{.room = {.allocations = args.NumAllocations,
                             .runtime_bytes = args.PrivateRuntimeDataSize,
                             .resource_bytes = args.ResourcePrivateDriverDataSize,
                             .total_bytes = args.TotalPrivateDriverDataBufferSize},
                    .infos = args.pOpenAllocationInfo,
                    .version = version,
                    .runtime_data = args.pPrivateRuntimeData,
                    .resource_data = args.pResourcePrivateDriverData,
                    .total_data = args.pTotalPrivateDriverDataBuffer};
  ResourceOpening opening = TRY(ResourceOpening::begin(client, *device, std::move(resource), target, false));
  args.TotalPrivateDriverDataBufferSize = opening.sizes().total_bytes;
  args.hResource = opening.resource();
  TRY(client.memory().probe_write(user));
  TRY(opening.probe(client.memory()));
  TRY(opening.tell(client.memory()));
  TRY(client.memory().write(user, args));
  opening.commit();
  return {};
}

}  // namespace

Answer serve::QueryResourceInfo(Client& client, D3DKMT_QUERYRESOURCEINFO* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  dxgk::ParkingLock lock(device->mutex());
  TRY(device->usable());
  Shared resource = TRY(open_global(client, *device, args.hGlobalShare));
  ResourceSizes sizes = TRY(sizes_of(*resource));
  // The runtime's data itself comes with the opening; the buffer is left alone (observed).
  args.PrivateRuntimeDataSize = sizes.runtime_bytes;
  args.TotalPrivateDriverDataSize = sizes.total_bytes;
  args.ResourcePrivateDriverDataSize = sizes.resource_bytes;
  args.NumAllocations = sizes.allocations;
  return client.memory().write(user, args);
}

Answer serve::OpenResource(Client& client, D3DKMT_OPENRESOURCE* user) {
  return open(client, user, OpenTarget::Infos::First);
}

Answer serve::OpenResource2(Client& client, D3DKMT_OPENRESOURCE* user) {
  return open(client, user, OpenTarget::Infos::Second);
}

}  // namespace kmt
