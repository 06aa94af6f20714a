// D3DKMTDestroyAllocation and D3DKMTDestroyAllocation2: the first is the second without flags (KD-25).
#include "dxgk/destroy/destroy.h"
#include "kmt/allocation/locked_view_check.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using nt::Violation;

constexpr UINT kWslMostAllocations = 1024;

Judgement judge_flags(D3DDDICB_DESTROYALLOCATION2FLAGS flags) {
  if (flags.SystemUseOnly) return Refusal(Violation::DestroyFlagsSystem, "SystemUseOnly is set");
  if (flags.Reserved) return Refusal(Violation::DestroyFlagsReserved, "reserved flags are set");
  return std::nullopt;
}

Judgement judge_count(const D3DKMT_DESTROYALLOCATION2& args, const dxgk::Policy& policy) {
  if (policy.flavour == dxgk::Flavour::Wsl) {
    if (args.AllocationCount > kWslMostAllocations) return Refusal("more allocations in one call than WSL takes");
    if ((args.AllocationCount == 0) == (args.hResource == 0))
      return Refusal("neither or both of resource and list (WSL)");
  }
  if (!args.hResource && args.AllocationCount > policy.max_allocations_per_call) {
    return Refusal("more allocations in one call than the kernel takes");
  }
  return std::nullopt;
}

base::Result<> destroy_resource(Client& client, dxgk::Device& device, const D3DKMT_DESTROYALLOCATION2& args,
                                dxgk::DestroyCall call) {
  if (args.phAllocationList) client.remark(Violation::DestroyNamesBoth, "a resource and a list are to be destroyed");
  LockedViewCheck locked(client, device, args.hResource);
  TRY(client.accept(dxgk::destroy_resource(device, args.hResource, call)));
  locked.destroyed();
  return {};
}

base::Result<> destroy_list(Client& client, dxgk::Device& device, const D3DKMT_DESTROYALLOCATION2& args,
                            dxgk::DestroyCall call) {
  if (args.AllocationCount == 0) {
    client.remark(Violation::DestroyNothing, "a call destroys neither a resource nor an allocation");
    return {};
  }
  HandleScratch handles;
  TRY(handles.make(args.AllocationCount));
  if (auto read = client.memory().read(handles.span(), args.phAllocationList); !read.ok()) {
    if (read.status() != STATUS_INVALID_PARAMETER)
      return read.failure();  // a fault that a test injected: not the client's mistake
    return client.refuse(Violation::DestroyListUnreadable, STATUS_INVALID_PARAMETER, "the list cannot be read");
  }
  LockedViewCheck locked(client, device, handles.span());
  TRY(client.accept(dxgk::destroy_allocations(device, handles.span(), call)));
  locked.destroyed();
  return {};
}

base::Result<> destroy(Client& client, const D3DKMT_DESTROYALLOCATION2& args) {
  auto device = client.process().handles().get<dxgk::Device>(args.hDevice);
  if (!device.ok()) {
    return client.refuse(Violation::DestroyOnWrongDevice, STATUS_INVALID_PARAMETER, ob::describe(device.error()));
  }
  TRY(client.accept(judge_flags(args.Flags)));
  TRY(client.accept(judge_count(args, client.policy())));
  dxgk::DestroyCall call{.assume_not_in_use = args.Flags.AssumeNotInUse != 0,
                         .synchronous = args.Flags.SynchronousDestroy != 0};
  return args.hResource ? destroy_resource(client, *device.value(), args, call)
                        : destroy_list(client, *device.value(), args, call);
}

}  // namespace

Answer serve::DestroyAllocation(Client& client, const D3DKMT_DESTROYALLOCATION* user) {
  auto args = TRY(client.memory().read(user));
  return destroy(client, {.hDevice = args.hDevice,
                          .hResource = args.hResource,
                          .phAllocationList = args.phAllocationList,
                          .AllocationCount = args.AllocationCount,
                          .Flags = {}});
}

Answer serve::DestroyAllocation2(Client& client, const D3DKMT_DESTROYALLOCATION2* user) {
  return destroy(client, TRY(client.memory().read(user)));
}

}  // namespace kmt
