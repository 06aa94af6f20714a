#include "trace/text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "trace/testing.h"

namespace trace {
namespace {

TEST(Text, GoldenDump) {
  Writer writer;
  Context context;
  writer.set_context(&context);
  writer.turn_on();
  writer.emit(MachineStart{.seed = 0xC0FFEE, .processors = 2, .policy = "pct"});
  writer.emit(ModuleLoad{.module = 1, .name = "softgpu.sys"});
  context = {.time_ns = 2500, .thread = 3, .processor = 1, .irql = 2};
  writer.emit(SchedPoint{.point = static_cast<uint8_t>(base::Point::Wait), .next = 4, .runnable = 2});
  writer.emit(SchedPoint{.point = 200});
  writer.emit(DpcQueue{.dpc = 1, .target = 1, .routine = uint64_t{1} << 32 | 0x1a0});
  writer.emit(DpcQueue{.dpc = 1, .target = 1, .routine = uint64_t{9} << 32 | 0x10});
  writer.emit(SpinAcquire{.lock = 2});
  writer.emit(WaitEnd{.kind = static_cast<uint8_t>(ObjectKind::Event), .ordinal = 4, .status = STATUS_TIMEOUT});
  writer.emit(PoolAllocate{.tag = 0x34334241, .size = 64, .ordinal = 12});
  writer.emit(PoolFree{.tag = 0x00334241, .size = 64, .ordinal = 12});
  writer.emit(DriverReturn{.ddi = "DxgkDdiStartDevice", .scope = "adapter", .status = STATUS_INVALID_PARAMETER});
  writer.emit(ThreadExit{.status = static_cast<int32_t>(0xC0123456)});
  writer.emit(DbgPrint{.text = "say \"hi\"\\\n\x01"});
  writer.emit(DeviceWrite{.offset = 0x40, .value = ~uint64_t{0}, .width = 8});

  Reader reader(recorded(writer));
  std::ostringstream out;
  EXPECT_TRUE(dump_text(reader, out).ok());
  EXPECT_EQ(out.str(), R"(1 0ns t0 cpu0 irql0 Machine/Start seed=0xc0ffee processors=2 policy="pct"
2 0ns t0 cpu0 irql0 Image/Load module=1 name="softgpu.sys"
3 2500ns t3 cpu1 irql2 Sched/Point point=Wait next=4 runnable=2
4 2500ns t3 cpu1 irql2 Sched/Point point=200 next=0 runnable=0
5 2500ns t3 cpu1 irql2 DPC/Queue dpc=1 target=1 routine=softgpu.sys+0x1a0
6 2500ns t3 cpu1 irql2 DPC/Queue dpc=1 target=1 routine=module9+0x10
7 2500ns t3 cpu1 irql2 SpinLock/Acquire lock=2 caller=?
8 2500ns t3 cpu1 irql2 Wait/Stop kind=Event ordinal=4 status=0x00000102(STATUS_TIMEOUT)
9 2500ns t3 cpu1 irql2 Pool/Alloc tag='AB34' size=64 ordinal=12
10 2500ns t3 cpu1 irql2 Pool/Free tag='AB3.' size=64 ordinal=12
11 2500ns t3 cpu1 irql2 Driver/Return ddi="DxgkDdiStartDevice" scope="adapter" status=0xC000000D(STATUS_INVALID_PARAMETER)
12 2500ns t3 cpu1 irql2 Thread/Delete status=0xC0123456
13 2500ns t3 cpu1 irql2 Debug/Print text="say \"hi\"\\\n\x01"
14 2500ns t3 cpu1 irql2 Device/Write offset=0x40 value=0xffffffffffffffff width=8
)");
}

TEST(Text, DumpOfACutTraceEndsWithTheFailure) {
  Writer writer;
  writer.turn_on();
  writer.emit(TimerExpire{.timer = 1});
  std::vector<std::byte> bytes = recorded(writer);
  bytes.resize(bytes.size() - sizeof(BlockHeader));  // the end mark
  Reader reader(bytes);
  std::ostringstream out;
  EXPECT_EQ(dump_text(reader, out).status(), STATUS_END_OF_FILE);
  EXPECT_EQ(out.str(), "1 0ns t0 cpu0 irql0 Timer/Expire timer=1\n");
}

TEST(Text, EveryEventFitsOnOneLine) {
  Writer writer;
  writer.turn_on();
  base::Rng rng(1);
  emit_one_of_each(writer, rng);
  Reader reader(recorded(writer));
  while (auto record = reader.next()) {
    std::string line = to_text(*record, reader);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    for (const FieldInfo& field : record->info().fields)
      EXPECT_NE(line.find(std::string(" ") + field.name + "="), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace trace
