// D3DKMTDestroyAllocation and D3DKMTDestroyAllocation2: the first is the second without flags (KD-25).
#include "dxgk/destroy.h"
#include "kmt/destroy_diagnosis.h"
#include "kmt/locks.h"
#include "kmt/scratch.h"
#include "kmt/thunks.h"

namespace kmt {
namespace {

using nt::Broke;

constexpr UINT kWslMostAllocations = 1024;

Judgement judge_flags(D3DDDICB_DESTROYALLOCATION2FLAGS flags) {
  if (flags.SystemUseOnly) return Refusal(Broke::DestroyFlagsSystem, "SystemUseOnly is set");
  if (flags.Reserved) return Refusal(Broke::DestroyFlagsReserved, "reserved flags are set");
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

// The kernel has refused; if it was for a rule of the client's, that is told too.
base::Failure explain(Client& client, const base::Failure& failure, std::optional<Broke> rule) {
  if (rule) client.remark(*rule, failure.why());
  return failure;
}

base::Result<> destroy_resource(Client& client, dxgk::Device& device, const D3DKMT_DESTROYALLOCATION2& args,
                                dxgk::DestroyCall call) {
  if (args.phAllocationList) client.remark(Broke::DestroyNamesBoth, "a resource and a list are to be destroyed");
  LockedViews locked(client, device, args.hResource);
  auto result = dxgk::destroy_resource(device, args.hResource, call);
  if (!result.ok()) return explain(client, result.failure(), destroy_rule(device, args.hResource));
  locked.destroyed();
  return {};
}

base::Result<> destroy_list(Client& client, dxgk::Device& device, const D3DKMT_DESTROYALLOCATION2& args,
                            dxgk::DestroyCall call) {
  if (args.AllocationCount == 0) {
    client.remark(Broke::DestroyNothing, "a call destroys neither a resource nor an allocation");
    return {};
  }
  HandleScratch handles;
  TRY(handles.make(args.AllocationCount));
  if (auto read = client.memory().read(handles.span(), args.phAllocationList); !read.ok()) {
    if (read.status() != STATUS_INVALID_PARAMETER)
      return read.failure();  // taken away by a test: not the client's fault
    return client.refuse(Broke::DestroyListUnreadable, STATUS_INVALID_PARAMETER, "the list cannot be read");
  }
  LockedViews locked(client, device, handles.span());
  auto result = dxgk::destroy_allocations(device, handles.span(), call);
  if (!result.ok()) return explain(client, result.failure(), destroy_rule(device, handles.span()));
  locked.destroyed();
  return {};
}

base::Result<> destroy(Client& client, const D3DKMT_DESTROYALLOCATION2& args) {
  auto device = client.process().handles().get<dxgk::Device>(args.hDevice);
  if (!device.ok()) {
    return client.refuse(Broke::DestroyOnWrongDevice, STATUS_INVALID_PARAMETER, ob::describe(device.error()));
  }
  TRY(client.accept(judge_flags(args.Flags)));
  TRY(client.accept(judge_count(args, client.policy())));
  dxgk::DestroyCall call{.assume_not_in_use = args.Flags.AssumeNotInUse != 0,
                         .synchronous = args.Flags.SynchronousDestroy != 0};
  return args.hResource ? destroy_resource(client, *device.value(), args, call)
                        : destroy_list(client, *device.value(), args, call);
}

base::Result<> destroy1(Client& client, const D3DKMT_DESTROYALLOCATION* user) {
  auto args = TRY(client.memory().read(user));
  return destroy(client, {.hDevice = args.hDevice,
                          .hResource = args.hResource,
                          .phAllocationList = args.phAllocationList,
                          .AllocationCount = args.AllocationCount,
                          .Flags = {}});
}

base::Result<> destroy2(Client& client, const D3DKMT_DESTROYALLOCATION2* user) {
  return destroy(client, TRY(client.memory().read(user)));
}

}  // namespace

NTSTATUS DestroyAllocation(Client& client, const D3DKMT_DESTROYALLOCATION* user) {
  return client.finish("D3DKMTDestroyAllocation", destroy1(client, user));
}

NTSTATUS DestroyAllocation2(Client& client, const D3DKMT_DESTROYALLOCATION2* user) {
  return client.finish("D3DKMTDestroyAllocation2", destroy2(client, user));
}

}  // namespace kmt
