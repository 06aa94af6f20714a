// D3DKMTQueryStatistics, as far as there are statistics: adapters, segments, and a process's share of them. The pages
// of the structures name their fields and say no more of most; a counter of something that does not happen here is
// zero.
#include <algorithm>
#include <cstring>

#include "dxgk/memory/video_memory.h"
#include "kmt/client/own_process.h"
#include "kmt/client/raw_enum.h"
#include "kmt/client/thunks.h"
#include "kmt/memory/memory_budget.h"

namespace kmt {
namespace {

using Query = D3DKMT_QUERYSTATISTICS;
using Figures = D3DKMT_QUERYSTATISTICS_RESULT;
using vidmm::EvictionCause;
using vidmm::SegmentStatistics;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Failure not_told() {
  return base::Failure(STATUS_NOT_SUPPORTED, "nothing is counted that this kind of statistics could tell");
}

void add(D3DKMT_QUERYSTATISTICS_COUNTER& counter, const SegmentStatistics& segment, EvictionCause cause) {
  counter.Count += static_cast<UINT>(segment.evictions_for(cause));
}

// --- Of the whole adapter ---

void add(D3DKMT_QUERYSTATISTICS_ADAPTER_INFORMATION& told, const dxgk::Segment& segment,
         const SegmentStatistics& counted) {
  auto& faults = told.PagingFault;
  add(faults.EvictionsDueToPreparation, counted, EvictionCause::Preparation);
  add(faults.EvictionsDueToLock, counted, EvictionCause::Lock);
  add(faults.EvictionsDueToClose, counted, EvictionCause::Close);
  add(faults.EvictionsDueToPurge, counted, EvictionCause::Purge);
  for (uint64_t count : counted.evictions) faults.Evictions.Count += static_cast<UINT>(count);
  for (uint64_t bytes : counted.evicted_bytes_by_priority) faults.Evictions.Bytes += bytes;
  auto& transfers = told.PagingTransfer;
  transfers.BytesDiscarded += counted.discarded_bytes;
  (segment.aperture ? transfers.BytesMappedIntoAperture : transfers.BytesTransferredFromMdlToMemory) +=
      counted.paged_in_bytes;
  (segment.aperture ? transfers.BytesUnmappedFromAperture : transfers.BytesTransferredFromMemoryToMdl) +=
      counted.paged_out_bytes;
}

void tell_adapter(dxgk::Adapter& adapter, D3DKMT_QUERYSTATISTICS_ADAPTER_INFORMATION& told) {
  const dxgk::AdapterCaps& caps = adapter.caps();
  told.NbSegments = static_cast<UINT>(caps.segments.size());
  told.NodeCount = caps.nodes;
  told.VidPnSourceCount = caps.sources;
  told.Flags.NumberOfMemoryGroups = vidmm::kMemoryGroups;
  told.Flags.SupportsDemotion = 1;
  dxgk::VideoMemory& memory = adapter.memory();
  base::Guard guard(memory.lock());
  for (const dxgk::Segment& segment : caps.segments) add(told, segment, memory.manager().statistics(segment.id));
}

// --- Of one segment ---

// Counted from 0, unlike the driver's own numbers (observed).
base::Result<const dxgk::Segment*> find_segment(const dxgk::Adapter& adapter, uint32_t index) {
  const dxgk::Segment* segment = index < 32 ? adapter.caps().segment(index + 1) : nullptr;
  if (!segment) return refuse("no segment of the adapter");
  return segment;
}

void tell_segment(dxgk::Adapter& adapter, const dxgk::Segment& segment,
                  D3DKMT_QUERYSTATISTICS_SEGMENT_INFORMATION& told) {
  dxgk::VideoMemory& memory = adapter.memory();
  base::Guard guard(memory.lock());
  const SegmentStatistics& counted = memory.manager().statistics(segment.id);
  told.CommitLimit = segment.commit_limit ? segment.commit_limit : segment.size;
  told.BytesCommitted = told.BytesResident = counted.resident_bytes;
  told.Memory.AllocsCommitted = told.Memory.AllocsResident = static_cast<UINT>(counted.resident_blocks);
  for (uint32_t i = 0; i < vidmm::kPriorityClasses; ++i) {
    told.TotalBytesEvictedByPriority[i] = counted.evicted_bytes_by_priority[i];
    told.Memory.TotalBytesEvicted += counted.evicted_bytes_by_priority[i];
  }
  told.Aperture = segment.aperture;
  told.PowerFlags.PreservedDuringStandby = segment.flags.PreservedDuringStandby;
  told.PowerFlags.PreservedDuringHibernate = segment.flags.PreservedDuringHibernate;
  told.PowerFlags.PartiallyPreservedDuringHibernate = segment.flags.PartiallyPreservedDuringHibernate;
  told.SegmentProperties.SegmentType =
      segment.aperture ? D3DKMT_QUERYSTATISTICS_SEGMENT_TYPE_APERTURE : D3DKMT_QUERYSTATISTICS_SEGMENT_TYPE_MEMORY;
  told.SegmentProperties.SegmentGroup =
      segment.aperture ? D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL : D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL;
}

void add_usage(dxgk::Adapter& adapter, const dxgk::Segment& segment, D3DKMT_QUERYSTATISTICS_MEMORY_USAGE& told) {
  dxgk::VideoMemory& memory = adapter.memory();
  base::Guard guard(memory.lock());
  uint64_t limit = segment.commit_limit ? segment.commit_limit : segment.size;
  uint64_t used = memory.manager().statistics(segment.id).resident_bytes;
  told.AllocatedBytes += used;
  told.FreeBytes += limit - std::min(used, limit);
}

base::Result<> tell_group_usage(dxgk::Adapter& adapter, uint32_t group, D3DKMT_QUERYSTATISTICS_MEMORY_USAGE& told) {
  if (group > D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL) return refuse("a memory segment group that does not exist");
  for (const dxgk::Segment& segment : adapter.caps().segments) {
    if (segment.aperture == (group == D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL)) add_usage(adapter, segment, told);
  }
  return {};
}

// --- Of the process ---

base::Result<> tell_process_group(Client& client, dxgk::Adapter& adapter, uint32_t group,
                                  D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP_INFORMATION& told) {
  if (group > D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL) return refuse("a memory segment group that does not exist");
  vidmm::VideoMemoryInfo info = TRY(memory_info(client, adapter, static_cast<vidmm::MemoryGroup>(group)));
  told.Budget = info.budget;
  told.Requested = told.Usage = info.usage;
  return {};
}

// --- All of them ---

// Linked adapters are not simulated: the second versions of the queries name the first of one.
base::Result<> check_index(uint32_t physical_adapter) {
  if (physical_adapter != 0) return refuse("there is one physical adapter");
  return {};
}

base::Result<> answer(Client& client, dxgk::Adapter& adapter, const Query& query, Figures& told) {
  switch (raw(query.Type)) {
    case D3DKMT_QUERYSTATISTICS_ADAPTER2:
      TRY(check_index(query.QueryAdapter2.PhysicalAdapterIndex));
      [[fallthrough]];
    case D3DKMT_QUERYSTATISTICS_ADAPTER:
      tell_adapter(adapter, told.AdapterInformation);
      return {};
    case D3DKMT_QUERYSTATISTICS_SEGMENT:
      tell_segment(adapter, *TRY(find_segment(adapter, query.QuerySegment.SegmentId)), told.SegmentInformation);
      return {};
    case D3DKMT_QUERYSTATISTICS_SEGMENT2:
      TRY(check_index(query.QuerySegment2.PhysicalAdapterIndex));
      tell_segment(adapter, *TRY(find_segment(adapter, query.QuerySegment2.SegmentId)), told.SegmentInformation);
      return {};
    case D3DKMT_QUERYSTATISTICS_SEGMENT_USAGE:
      TRY(check_index(query.QuerySegmentUsage.PhysicalAdapterIndex));
      add_usage(adapter, *TRY(find_segment(adapter, query.QuerySegmentUsage.SegmentId)), told.SegmentUsageInformation);
      return {};
    case D3DKMT_QUERYSTATISTICS_SEGMENT_GROUP_USAGE:
      TRY(check_index(query.QuerySegmentGroupUsage.PhysicalAdapterIndex));
      return tell_group_usage(adapter, query.QuerySegmentGroupUsage.SegmentGroup, told.SegmentGroupUsageInformation);
    case D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP:
      return tell_process_group(client, adapter, raw(query.QueryProcessSegmentGroup),
                                told.ProcessSegmentGroupInformation);
    case D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP2:
      TRY(check_index(query.QueryProcessSegmentGroup2.PhysicalAdapterIndex));
      return tell_process_group(client, adapter, query.QueryProcessSegmentGroup2.SegmentGroup,
                                told.ProcessSegmentGroupInformation);
    default:
      return raw(query.Type) > D3DKMT_QUERYSTATISTICS_PROCESS_NODE2 ? refuse("no kind of statistics") : not_told();
  }
}

}  // namespace

// The argument is documented as one that is only read, and has room for the answer in it.
Answer serve::QueryStatistics(Client& client, const D3DKMT_QUERYSTATISTICS* user) {
  auto args = TRY(client.memory().read(user));
  dxgk::Adapter* adapter = client.kernel().adapter(args.AdapterLuid);
  if (!adapter) return refuse("no adapter has this LUID");
  TRY(check_own_process(client, args.hProcess));
  if (!adapter->started()) return base::Failure(STATUS_DEVICE_REMOVED, "the adapter has been stopped");
  Figures told;
  std::memset(&told, 0, sizeof(told));  // braces would leave what lies behind the first member
  TRY(answer(client, *adapter, args, told));
  return client.memory().write(UserMemory::address(user, &Query::QueryResult), &told, sizeof(told));
}

}  // namespace kmt
