#include <gtest/gtest.h>

#include "ks/testing/queue_fixture.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace ks {
namespace {

using Names = std::vector<std::string>;

struct Returned {
  PKSPIN pin;
  PVOID data;
  ULONG bytes;
  PMDL mdl;
  PVOID context;
  NTSTATUS status;
};
std::vector<Returned> g_returned;
std::vector<PIRP> g_irps;

void frame_return(PKSPIN pin, PVOID data, ULONG bytes, PMDL mdl, PVOID context, NTSTATUS status) {
  g_returned.push_back({pin, data, bytes, mdl, context, status});
}
void irp_completion(PKSPIN, PIRP irp) { g_irps.push_back(irp); }

class QueueInjectTest : public nt::MachineTest {
 protected:
  QueueInjectTest() {
    g_returned.clear();
    g_irps.clear();
  }
};

TEST_F(QueueInjectTest, AnInjectedFrameGoesRoundAndComesBackToTheDriver) {
  run([&] {
    LoneQueue lone(machine(), {});
    EXPECT_FALSE(lone.queue->injects());
    lone.queue->set_frame_return(&frame_return);
    lone.queue->set_irp_completion(&irp_completion);
    EXPECT_TRUE(lone.queue->injects());
    std::unique_ptr<StreamIrp> in_circuit;
    lone.on_left = [&](std::unique_ptr<StreamIrp> irp) { in_circuit = std::move(irp); };
    auto* memory = static_cast<uint8_t*>(machine().pool().allocate(100, 0, nt::PoolKind::NonPaged, nt::PoolFill::Zero));
    KSSTREAM_HEADER header{};
    header.Size = sizeof(header);
    header.DataUsed = 60;
    header.OptionsFlags = KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT;
    int context = 0;
    ASSERT_TRUE(lone.queue->inject(memory, 100, nullptr, &header, &context).ok());
    EXPECT_TRUE(lone.queue->empty());
    ASSERT_TRUE(in_circuit && in_circuit->injected());
    const Frame& frame = in_circuit->frames()[0];
    EXPECT_EQ(frame.data, memory);
    EXPECT_EQ(frame.header->DataUsed, 60u);
    EXPECT_EQ(frame.header->FrameExtent, 100u);
    EXPECT_EQ(frame.header->OptionsFlags, static_cast<ULONG>(KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT));
    IRP* irp = &in_circuit->irp();
    in_circuit->set_status(STATUS_CANCELLED);
    StreamIrp::complete(std::move(in_circuit));
    EXPECT_EQ(g_irps, std::vector<PIRP>{irp});
    ASSERT_EQ(g_returned.size(), 1u);
    EXPECT_EQ(g_returned[0].pin, lone.pin);
    EXPECT_EQ(g_returned[0].data, memory);
    EXPECT_EQ(g_returned[0].bytes, 100u);
    EXPECT_EQ(g_returned[0].mdl, nullptr);
    EXPECT_EQ(g_returned[0].context, &context);
    EXPECT_EQ(g_returned[0].status, STATUS_CANCELLED);
    machine().pool().free(memory, 0);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueInjectTest, AnMdlIsReturnedAsItWasGiven) {
  run([&] {
    LoneQueue lone(machine(), {});
    lone.queue->set_frame_return(&frame_return);
    void* memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, 5000, 0x74736554);
    PMDL mdl = IoAllocateMdl(memory, 5000, FALSE, FALSE, nullptr);
    MmBuildMdlForNonPagedPool(mdl);
    ASSERT_TRUE(lone.queue->inject(nullptr, 0, mdl, nullptr, nullptr).ok());  // the circuit is as short as can be
    ASSERT_EQ(g_returned.size(), 1u);
    EXPECT_EQ(g_returned[0].mdl, mdl);
    EXPECT_EQ(g_returned[0].data, nullptr);
    EXPECT_EQ(g_returned[0].status, STATUS_SUCCESS);
    IoFreeMdl(mdl);
    ExFreePool(memory);
  });
  EXPECT_EQ(broken(), Names{});
}

}  // namespace
}  // namespace ks
