#include "umd/common/opened_resource.h"

#include "kmt/client/thunks.h"

namespace umd {

base::Result<OpenedResource> OpenedResource::open(kmt::Client& client, D3DKMT_HANDLE device,
                                                  D3DKMT_HANDLE global_share) {
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = device;
  query.hGlobalShare = global_share;
  NTSTATUS status = kmt::QueryResourceInfo(client, &query);
  if (!NT_SUCCESS(status)) return base::Failure(status, "nothing is shared by this handle");
  OpenedResource opened;
  opened.allocations.resize(query.NumAllocations);
  opened.private_data.resize(query.ResourcePrivateDriverDataSize);
  opened.runtime_data.resize(query.PrivateRuntimeDataSize);
  opened.total_data.resize(query.TotalPrivateDriverDataSize);
  D3DKMT_OPENRESOURCE args{};
  args.hDevice = device;
  args.hGlobalShare = global_share;
  args.NumAllocations = query.NumAllocations;
  args.pOpenAllocationInfo = opened.allocations.data();
  args.pPrivateRuntimeData = opened.runtime_data.data();
  args.PrivateRuntimeDataSize = query.PrivateRuntimeDataSize;
  args.pResourcePrivateDriverData = opened.private_data.data();
  args.ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize;
  args.pTotalPrivateDriverDataBuffer = opened.total_data.data();
  args.TotalPrivateDriverDataBufferSize = query.TotalPrivateDriverDataSize;
  status = kmt::OpenResource(client, &args);
  if (!NT_SUCCESS(status)) return base::Failure(status, "the shared resource could not be opened");
  opened.resource = args.hResource;
  return opened;
}

}  // namespace umd
