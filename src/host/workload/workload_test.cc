#include "host/workload/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "host/workload/gpu_commands.h"
#include "host/workload/gpu_submission.h"
#include "host/workload/workload_client.h"

struct DRYDOCK_WORKLOAD_CLIENT {
  uint32_t nodes;
};

namespace host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A workload whose commands are one byte for the kind of work and one for each operand.
DRYDOCK_WORKLOAD_CLIENT* open(const DRYDOCK_WORKLOAD_ADAPTER* adapter) {
  return adapter->nodes == 0 ? nullptr : new DRYDOCK_WORKLOAD_CLIENT{adapter->nodes};
}
void close(DRYDOCK_WORKLOAD_CLIENT* client) { delete client; }
uint32_t knows(DRYDOCK_WORKLOAD_CLIENT* client, uint32_t, uint32_t node) { return node < client->nodes; }

int32_t describe(DRYDOCK_WORKLOAD_CLIENT*, const DRYDOCK_WORKLOAD_MEMORY* memory, DRYDOCK_WORKLOAD_BYTES* data) {
  data->bytes[0] = static_cast<uint8_t>(memory->place);
  data->used = 1;
  return DRYDOCK_WORKLOAD_OK;
}

void refer(DRYDOCK_WORK_COMMANDS* commands, uint32_t operand, bool written) {
  DRYDOCK_WORK_REFERENCE reference = {};
  reference.operand = operand;
  reference.at = commands->used;
  reference.written = written;
  reference.slot_id = operand;
  commands->references[commands->reference_count++] = reference;
  commands->bytes[commands->used++] = 0;
}

int32_t build(DRYDOCK_WORKLOAD_CLIENT*, const DRYDOCK_WORK* work, DRYDOCK_WORK_COMMANDS* commands) {
  commands->bytes[commands->used++] = static_cast<uint8_t>(work->kind);
  if (work->from.bytes) refer(commands, DRYDOCK_OPERAND_FROM, false);
  if (work->to.bytes) refer(commands, DRYDOCK_OPERAND_TO, true);
  return DRYDOCK_WORKLOAD_OK;
}

DRYDOCK_WORKLOAD good() {
  DRYDOCK_WORKLOAD workload = {};
  workload.size = sizeof(workload);
  workload.version = DRYDOCK_WORKLOAD_VERSION;
  workload.name = "small";
  workload.alignment = 1;
  workload.open = open;
  workload.close = close;
  workload.knows = knows;
  workload.describe = describe;
  workload.build = build;
  return workload;
}

constexpr DRYDOCK_WORKLOAD_ADAPTER kAdapter = {sizeof(DRYDOCK_WORKLOAD_ADAPTER), 2, 0, 0, nullptr};

// What is wrong with a description that differs from the good one.
std::string refusal(void (*change)(DRYDOCK_WORKLOAD&)) {
  DRYDOCK_WORKLOAD workload = good();
  change(workload);
  auto loaded = Workload::of(workload);
  return loaded.ok() ? "" : loaded.error();
}

// What a client says of a workload that differs from the good one.
template <typename Ask>
std::string complaint(void (*change)(DRYDOCK_WORKLOAD&), Ask ask) {
  DRYDOCK_WORKLOAD description = good();
  change(description);
  auto workload = Workload::of(description);
  auto client = WorkloadClient::open(workload.value(), kAdapter);
  auto answer = ask(*client);
  return answer.ok() ? "" : answer.error();
}

std::string build_complaint(void (*change)(DRYDOCK_WORKLOAD&)) {
  return complaint(change, [](WorkloadClient& client) {
    GpuCommands commands;
    commands.fill(GpuBuffer{0, 7, 0, 4096, 0}, 0, 16, 1);
    return client.build({&commands.items()[0].work, 1});
  });
}

TEST(WorkloadTest, ADescriptionThatIsWrongIsRefusedInWords) {
  EXPECT_EQ(refusal([](DRYDOCK_WORKLOAD&) {}), "");
  EXPECT_THAT(refusal([](DRYDOCK_WORKLOAD& w) { w.version = 9; }), HasSubstr("it is of version 9"));
  EXPECT_THAT(refusal([](DRYDOCK_WORKLOAD& w) { w.size = 8; }), HasSubstr("has 8 bytes"));
  EXPECT_THAT(refusal([](DRYDOCK_WORKLOAD& w) { w.name = ""; }), HasSubstr("no name"));
  EXPECT_THAT(refusal([](DRYDOCK_WORKLOAD& w) { w.alignment = 3; }), HasSubstr("its alignment is 3"));
  EXPECT_THAT(refusal([](DRYDOCK_WORKLOAD& w) { w.alignment = 8192; }), HasSubstr("its alignment is 8192"));
  EXPECT_THAT(refusal([](DRYDOCK_WORKLOAD& w) { w.registers = 65; }), HasSubstr("has 65 registers"));
  EXPECT_THAT(refusal([](DRYDOCK_WORKLOAD& w) { w.build = nullptr; }), HasSubstr("is missing"));
}

TEST(WorkloadTest, AFileThatIsNoWorkloadIsRefusedByName) {
  EXPECT_THAT(Workload::load("/nowhere/workload.so").error(), HasSubstr("/nowhere/workload.so"));
  EXPECT_EQ(Workload::load(SAMPLE_DRIVER).error(),
            SAMPLE_DRIVER ": exports no function DrydockWorkload, so it is no workload");
}

TEST(WorkloadTest, AWorkloadMayBeForAnotherAdapter) {
  DRYDOCK_WORKLOAD description = good();
  auto workload = Workload::of(description);
  EXPECT_EQ(WorkloadClient::open(workload.value(), {sizeof(DRYDOCK_WORKLOAD_ADAPTER), 0, 0, 0, nullptr}), nullptr);
}

TEST(WorkloadTest, WhatAWorkloadSaysIsNotTrusted) {
  EXPECT_EQ(build_complaint([](DRYDOCK_WORKLOAD&) {}), "");
  EXPECT_EQ(build_complaint([](DRYDOCK_WORKLOAD& w) {
              w.build = [](DRYDOCK_WORKLOAD_CLIENT*, const DRYDOCK_WORK*, DRYDOCK_WORK_COMMANDS*) -> int32_t {
                return -1;
              };
            }),
            "the workload small: build() of work of kind 1 answered -1");
  EXPECT_THAT(build_complaint([](DRYDOCK_WORKLOAD& w) {
                w.build = [](DRYDOCK_WORKLOAD_CLIENT*, const DRYDOCK_WORK*,
                             DRYDOCK_WORK_COMMANDS* commands) -> int32_t {
                  commands->used = commands->room + 1;
                  return 0;
                };
              }),
              HasSubstr("more than there is room for"));
  EXPECT_THAT(build_complaint([](DRYDOCK_WORKLOAD& w) {
                w.build = [](DRYDOCK_WORKLOAD_CLIENT*, const DRYDOCK_WORK*,
                             DRYDOCK_WORK_COMMANDS* commands) -> int32_t {
                  commands->used = 4;
                  refer(commands, DRYDOCK_OPERAND_FROM, false);
                  return 0;
                };
              }),
              HasSubstr("the operand 'from', which work of kind 1 has not"));
  EXPECT_THAT(build_complaint([](DRYDOCK_WORKLOAD& w) {
                w.build = [](DRYDOCK_WORKLOAD_CLIENT*, const DRYDOCK_WORK*,
                             DRYDOCK_WORK_COMMANDS* commands) -> int32_t {
                  refer(commands, DRYDOCK_OPERAND_TO, true);
                  commands->references[0].at = 99;
                  return 0;
                };
              }),
              HasSubstr("refers to byte 99 of 1 bytes of commands"));
  EXPECT_THAT(complaint(
                  [](DRYDOCK_WORKLOAD& w) {
                    w.describe = [](DRYDOCK_WORKLOAD_CLIENT*, const DRYDOCK_WORKLOAD_MEMORY*,
                                    DRYDOCK_WORKLOAD_BYTES* data) -> int32_t {
                      data->used = 1 << 20;
                      return 0;
                    };
                  },
                  [](WorkloadClient& client) { return client.describe({}); }),
              HasSubstr("describe() says that it wrote 1048576 bytes"));
}

TEST(WorkloadTest, WithoutAnEscapeTheHardwareDoesNotMisbehave) {
  DRYDOCK_WORKLOAD description = good();
  auto workload = Workload::of(description);
  auto client = WorkloadClient::open(workload.value(), kAdapter);
  EXPECT_FALSE(client->can_misbehave(DRYDOCK_HARDWARE_HANG));
}

TEST(WorkloadTest, ASubmissionListsEachAllocationOnce) {
  DRYDOCK_WORKLOAD description = good();
  auto workload = Workload::of(description);
  auto client = WorkloadClient::open(workload.value(), kAdapter);
  GpuBuffer one{0, 7, 0, 4096, 0}, other{0, 8, 0, 4096, 0};
  GpuCommands commands;
  commands.copy(one, 0, other, 64, 16).fill(one, 0, 16, 1);
  std::vector<DRYDOCK_WORK> work;
  for (const auto& item : commands.items()) work.push_back(item.work);
  auto built = client->build(work);
  ASSERT_TRUE(built.ok());
  GpuSubmission submission(built.take(), commands, true);
  EXPECT_THAT(submission.commands, ElementsAre(DRYDOCK_WORK_COPY, 0, 0, DRYDOCK_WORK_FILL, 0));
  ASSERT_EQ(submission.allocations.size(), 2u);
  EXPECT_EQ(submission.allocations[0].hAllocation, 7u);
  EXPECT_TRUE(submission.allocations[0].WriteOperation);  // by the fill
  EXPECT_EQ(submission.allocations[1].hAllocation, 8u);
  ASSERT_EQ(submission.patches.size(), 3u);
  EXPECT_EQ(submission.patches[0].AllocationIndex, 0u);
  EXPECT_EQ(submission.patches[1].AllocationIndex, 1u);
  EXPECT_EQ(submission.patches[2].AllocationIndex, 0u);
  EXPECT_EQ(submission.patches[2].PatchOffset, 4u);
}

}  // namespace
}  // namespace host
