// Budgets, reservations and statistics.
#include "kmt/testing/memory_fixture.h"

namespace kmt::testing {
namespace {

using Query = D3DKMT_QUERYSTATISTICS;

class StatisticsTest : public MemoryTest {
 protected:
  Query query_of(UINT type) {
    Query query;
    std::memset(&query, 0, sizeof(query));
    std::memcpy(&query.Type, &type, sizeof(type));
    query.AdapterLuid = adapter().luid();
    return query;
  }
  static D3DKMT_QUERYVIDEOMEMORYINFO info(Program& program, D3DKMT_MEMORY_SEGMENT_GROUP group) {
    D3DKMT_QUERYVIDEOMEMORYINFO args{};
    args.hAdapter = program.adapter;
    args.MemorySegmentGroup = group;
    EXPECT_EQ(QueryVideoMemoryInfo(program.client, &args), STATUS_SUCCESS);
    return args;
  }
  static NTSTATUS reserve_memory(Program& program, uint64_t bytes) {
    D3DKMT_CHANGEVIDEOMEMORYRESERVATION args{};
    args.hAdapter = program.adapter;
    args.MemorySegmentGroup = D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL;
    args.Reservation = bytes;
    return ChangeVideoMemoryReservation(program.client, &args);
  }
};

TEST_F(StatisticsTest, WhatIsListedIsUsed) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE local = make(program);
    place_in(kAperture);
    D3DKMT_HANDLE shown = make(program);
    auto local_before = info(program, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL);
    auto other_before = info(program, D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL);
    EXPECT_EQ(local_before.CurrentUsage, 0u);
    ASSERT_EQ(make_resident(program, queue, {local, shown}), STATUS_SUCCESS);
    EXPECT_EQ(info(program, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL).CurrentUsage, kBigPage);
    EXPECT_EQ(info(program, D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL).CurrentUsage, other_before.CurrentUsage + kBigPage);
    EXPECT_EQ(evict(program, {local}), STATUS_SUCCESS);
    EXPECT_EQ(info(program, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL).CurrentUsage, 0u);
  });
}

TEST_F(StatisticsTest, NoMoreIsReservedThanIsAvailable) {
  run_adapter([&](dxgk::Adapter& its) {
    Program program(kernel(), "client"), other(kernel(), "other");
    program.adapter = program.open_adapter(its);  // before it has a device
    other.start(its);
    auto free = info(program, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL);
    EXPECT_EQ(reserve_memory(program, free.AvailableForReservation + 1), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(reserve_memory(program, UINT64_MAX), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(reserve_memory(program, free.AvailableForReservation), STATUS_SUCCESS);
    EXPECT_EQ(info(program, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL).CurrentReservation, free.AvailableForReservation);
    EXPECT_EQ(info(other, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL).AvailableForReservation, 0u);
    EXPECT_EQ(reserve_memory(other, 1), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(reserve_memory(other, 0), STATUS_SUCCESS);
    program.device = program.create_device(program.adapter);
    EXPECT_EQ(info(program, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL).CurrentReservation, free.AvailableForReservation);
  });
}

TEST_F(StatisticsTest, ReservationsThatNameNothing) {
  run_program([&](Program& program) {
    D3DKMT_CHANGEVIDEOMEMORYRESERVATION args{};
    args.hAdapter = program.device;
    EXPECT_EQ(ChangeVideoMemoryReservation(program.client, &args), STATUS_INVALID_PARAMETER);
    args.hAdapter = program.adapter;
    args.PhysicalAdapterIndex = 1;
    EXPECT_EQ(ChangeVideoMemoryReservation(program.client, &args), STATUS_INVALID_PARAMETER);
    args.PhysicalAdapterIndex = 0;
    UINT group = 2;
    std::memcpy(&args.MemorySegmentGroup, &group, sizeof(group));
    EXPECT_EQ(ChangeVideoMemoryReservation(program.client, &args), STATUS_INVALID_PARAMETER);
    args.MemorySegmentGroup = D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL;
    args.hProcess = reinterpret_cast<HANDLE>(0xDEADBEEF);
    EXPECT_EQ(ChangeVideoMemoryReservation(program.client, &args), STATUS_INVALID_HANDLE);
  });
}

// The verifier's restricted budget: nothing may be made resident until the client says that it cannot trim.
TEST_F(StatisticsTest, ABudgetOfNearlyNothing) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    vidmm::Knobs knobs;
    knobs.restrict_local_budget = 1;
    adapter().memory().set_knobs(knobs);
    std::vector<D3DKMT_HANDLE> list = {make(program)};
    D3DDDI_MAKERESIDENT args = resident_args(queue.hPagingQueue, list);
    EXPECT_EQ(MakeResident(program.client, &args), STATUS_NO_MEMORY);
    EXPECT_EQ(args.NumBytesToTrim, kBigPage - 1);
    args.Flags.CantTrimFurther = 1;
    EXPECT_EQ(MakeResident(program.client, &args), STATUS_PENDING);
    EXPECT_EQ(info(program, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL).Budget, 1u);
  });
}

TEST_F(StatisticsTest, Segments) {
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    auto ask = [&](UINT segment) {
      Query query = query_of(D3DKMT_QUERYSTATISTICS_SEGMENT);
      query.QuerySegment.SegmentId = segment;
      EXPECT_EQ(QueryStatistics(program.client, &query), STATUS_SUCCESS);
      return query.QueryResult.SegmentInformation;
    };
    EXPECT_EQ(ask(0).Aperture, 1u);
    auto before = ask(1);
    EXPECT_EQ(before.Aperture, 0u);
    EXPECT_EQ(before.CommitLimit, 0x0400'0000u);
    D3DKMT_HANDLE a = make(program);
    ASSERT_EQ(make_resident(program, queue, {a}), STATUS_SUCCESS);
    auto with = ask(1);
    EXPECT_EQ(with.BytesResident, before.BytesResident + kBigPage);
    EXPECT_EQ(with.Memory.AllocsResident, before.Memory.AllocsResident + 1);
    Query usage = query_of(D3DKMT_QUERYSTATISTICS_SEGMENT_USAGE);
    usage.QuerySegmentUsage.SegmentId = 1;
    EXPECT_EQ(QueryStatistics(program.client, &usage), STATUS_SUCCESS);
    EXPECT_EQ(usage.QueryResult.SegmentUsageInformation.AllocatedBytes, with.BytesResident);
    EXPECT_EQ(usage.QueryResult.SegmentUsageInformation.FreeBytes, with.CommitLimit - with.BytesResident);
    EXPECT_EQ(evict(program, {a}), STATUS_SUCCESS);
    auto after = ask(1);
    EXPECT_EQ(after.BytesResident, before.BytesResident);
    EXPECT_EQ(after.Memory.TotalBytesEvicted, before.Memory.TotalBytesEvicted + kBigPage);
  });
}

TEST_F(StatisticsTest, AdapterAndGroups) {
  run_program([&](Program& program) {
    for (UINT type : {D3DKMT_QUERYSTATISTICS_ADAPTER, D3DKMT_QUERYSTATISTICS_ADAPTER2}) {
      Query query = query_of(type);
      EXPECT_EQ(QueryStatistics(program.client, &query), STATUS_SUCCESS);
      EXPECT_EQ(query.QueryResult.AdapterInformation.NbSegments, 2u);
      EXPECT_EQ(query.QueryResult.AdapterInformation.NodeCount, 1u);
    }
    Query group = query_of(D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP);
    group.hProcess = reinterpret_cast<HANDLE>(~uintptr_t{0});
    EXPECT_EQ(QueryStatistics(program.client, &group), STATUS_SUCCESS);
    EXPECT_EQ(group.QueryResult.ProcessSegmentGroupInformation.Budget,
              info(program, D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL).Budget);
    Query usage = query_of(D3DKMT_QUERYSTATISTICS_SEGMENT_GROUP_USAGE);
    usage.QuerySegmentGroupUsage.SegmentGroup = D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL;
    EXPECT_EQ(QueryStatistics(program.client, &usage), STATUS_SUCCESS);
    EXPECT_EQ(usage.QueryResult.SegmentGroupUsageInformation.FreeBytes +
                  usage.QueryResult.SegmentGroupUsageInformation.AllocatedBytes,
              0x1000'0000u);
  });
}

TEST_F(StatisticsTest, WhatIsNotCountedIsNotTold) {
  run_program([&](Program& program) {
    for (UINT type :
         {D3DKMT_QUERYSTATISTICS_PROCESS, D3DKMT_QUERYSTATISTICS_NODE, D3DKMT_QUERYSTATISTICS_PROCESS_NODE2}) {
      Query query = query_of(type);
      EXPECT_EQ(QueryStatistics(program.client, &query), STATUS_NOT_SUPPORTED) << type;
    }
    Query query = query_of(20);
    EXPECT_EQ(QueryStatistics(program.client, &query), STATUS_INVALID_PARAMETER);
    for (UINT segment : {2u, 31u, 32u, UINT32_MAX}) {
      query = query_of(D3DKMT_QUERYSTATISTICS_SEGMENT);
      query.QuerySegment.SegmentId = segment;
      EXPECT_EQ(QueryStatistics(program.client, &query), STATUS_INVALID_PARAMETER) << segment;
    }
    query = query_of(D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP2);
    query.QueryProcessSegmentGroup2.SegmentGroup = 2;
    EXPECT_EQ(QueryStatistics(program.client, &query), STATUS_INVALID_PARAMETER);
    query = query_of(D3DKMT_QUERYSTATISTICS_ADAPTER);
    query.AdapterLuid.LowPart ^= 0x5555;
    EXPECT_EQ(QueryStatistics(program.client, &query), STATUS_INVALID_PARAMETER);
    query = query_of(D3DKMT_QUERYSTATISTICS_ADAPTER);
    query.hProcess = reinterpret_cast<HANDLE>(0xDEADBEEF);
    EXPECT_EQ(QueryStatistics(program.client, &query), STATUS_INVALID_HANDLE);
    adapter().stop();
    query = query_of(D3DKMT_QUERYSTATISTICS_ADAPTER);
    EXPECT_EQ(QueryStatistics(program.client, &query), STATUS_DEVICE_REMOVED);
  });
}

}  // namespace
}  // namespace kmt::testing
