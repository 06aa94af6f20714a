#include "kmt/allocation/create_judge.h"

#include "base/align.h"
#include "kmt/client/raw_enum.h"

namespace kmt {
namespace {

using dxgk::Refusal;
using nt::Violation;

constexpr UINT kWslMostAllocations = 1024;

Judgement judge_flags(D3DKMT_CREATEALLOCATIONFLAGS flags, bool wsl) {
  if (flags.CreateProtected || flags.CreateWriteCombined || flags.CreateCached || flags.OpenCrossAdapter ||
      flags.Reserved) {
    return Refusal(Violation::CreateFlagsReserved, "a flag is set that only the system may set");
  }
  if (flags.CreateShared && !flags.CreateResource) {
    return Refusal(Violation::CreateSharedAlone, "CreateShared without CreateResource");
  }
  if (flags.NtSecuritySharing && !flags.CreateShared) {
    return Refusal(Violation::CreateNtSharingAlone, "NtSecuritySharing without CreateShared");
  }
  if (wsl && flags.CreateShared && !flags.NtSecuritySharing) return Refusal("WSL shares only through NT handles");
  bool existing = flags.ExistingSysMem != flags.ExistingSection;
  if ((flags.StandardAllocation && !existing) ||
      (!flags.StandardAllocation && (flags.ExistingSysMem || flags.ExistingSection))) {
    return Refusal(Violation::CreateStandardMemory,
                   "StandardAllocation goes with one of ExistingSysMem and ExistingSection, and they go with it");
  }
  if (flags.ExistingSection) return Refusal("an allocation over a section is not supported");
  if (flags.NoKmdAccess && !flags.StandardAllocation) {
    return Refusal("without the driver only a standard allocation can be created");
  }
  return std::nullopt;
}

Judgement judge_count(const D3DKMT_CREATEALLOCATION& args, const dxgk::Policy& policy) {
  bool wsl = policy.flavour == dxgk::Flavour::Wsl;
  if (args.NumAllocations == 0) {
    // The page lets a resource begin empty; observed is a refusal of shared and standard ones, and of all by WSL.
    bool may_be_empty = args.Flags.CreateResource && !args.Flags.CreateShared && !args.Flags.StandardAllocation && !wsl;
    if (!may_be_empty) return Refusal("NumAllocations is 0");
  }
  if (wsl && args.NumAllocations > kWslMostAllocations) return Refusal("more allocations in one call than WSL takes");
  if (args.NumAllocations > policy.max_allocations_per_call) {
    return Refusal("more allocations in one call than the kernel takes", STATUS_NO_MEMORY);
  }
  return std::nullopt;
}

}  // namespace

Judgement judge_create(const D3DKMT_CREATEALLOCATION& args, const dxgk::Policy& policy) {
  if (auto refusal = judge_flags(args.Flags, policy.flavour == dxgk::Flavour::Wsl)) return refusal;
  if (auto refusal = judge_count(args, policy)) return refusal;
  if (args.Flags.StandardAllocation) {
    if (args.NumAllocations != 1) return Refusal(Violation::CreateStandardMany, "a standard allocation comes alone");
    if (args.hResource) return Refusal(Violation::CreateStandardMany, "a standard allocation is added to no resource");
    if (args.PrivateDriverDataSize) return Refusal("private driver data where the standard allocation is described");
  }
  return std::nullopt;
}

Judgement judge_standard(const D3DKMT_CREATESTANDARDALLOCATION& standard, const void* memory) {
  if (raw(standard.Type) != D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP) {
    return Refusal("a standard allocation of a type that is not known here");
  }
  if (standard.Flags.Value) return Refusal("reserved flags of a standard allocation are set");
  if (!memory) return Refusal("pSystemMem is NULL");
  auto address = reinterpret_cast<uintptr_t>(memory);
  uint64_t bytes = standard.ExistingHeapData.Size;
  if (address % base::kPageBytes || bytes % base::kPageBytes || bytes == 0 || address + bytes < address) {
    return Refusal(Violation::CreateMemoryUnaligned, "existing memory does not begin and end with a page");
  }
  return std::nullopt;
}

}  // namespace kmt
