#include "ks/stream/filter_process.h"

#include <cstring>
#include <functional>
#include <memory>
#include <optional>

#include "ks/device/device.h"
#include "ks/device/system.h"
#include "ks/stream/queue.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace ks {
namespace {

using Outcome = ProcessLoop::Outcome;

constexpr ULONG kInput = 0, kOutput = 1;
constexpr uint32_t kExtent = 64;

// What came back from a queue.
struct Returned {
  ULONG data_used;
  ULONG flags;
  bool operator==(const Returned&) const = default;
};

// A pin without the class around it: a body, a descriptor and a queue.
class FakePin final : private Queue::Owner {
 public:
  FakePin(nt::Machine& machine, ULONG id, ULONG flags, ULONG necessary, std::vector<Returned>& returned)
      : returned_(returned) {
    descriptor.Flags = flags;
    descriptor.InstancesNecessary = necessary;
    body.Descriptor = &descriptor;
    body.Id = id;
    body.DataFlow = id == kInput ? KSPIN_DATAFLOW_IN : KSPIN_DATAFLOW_OUT;
    body.StreamHeaderSize = sizeof(KSSTREAM_HEADER);
    memory_ = machine.pool().allocate(16 * kExtent, 0, nt::PoolKind::NonPaged, nt::PoolFill::Zero);
    Queue::Owner& owner = *this;
    queue.emplace(Queue::Site{machine, policy_, body, nullptr, "the pin", adapter_, nullptr}, owner);
    machine_ = &machine;
  }
  ~FakePin() {
    queue->flush(STATUS_CANCELLED);
    queue.reset();
    machine_->pool().free(memory_, 0);
  }

  // A frame with so much data in it (an output frame: none).
  void add(ULONG bytes, ULONG flags = 0) {
    auto* data = static_cast<uint8_t*>(memory_) + kExtent * (made_++ % 16);
    auto request = StreamIrp::make(*queue, data, kExtent);
    ASSERT_TRUE(request);
    request->frames()[0].header->DataUsed = bytes;
    request->frames()[0].header->OptionsFlags = flags;
    ASSERT_TRUE(queue->add(std::move(request)).ok());
  }

  KSPIN_DESCRIPTOR_EX descriptor{};
  KSPIN body{};
  std::optional<Queue> queue;

 private:
  void arrived(bool) override {}
  void left(std::unique_ptr<StreamIrp> irp) override {
    const KSSTREAM_HEADER& header = *irp->frames()[0].header;
    returned_.push_back({header.DataUsed, header.OptionsFlags});
  }

  std::vector<Returned>& returned_;
  Policy policy_{.guard_frames = false};
  std::optional<RegisteredAdapter> adapter_;
  nt::Machine* machine_ = nullptr;
  void* memory_ = nullptr;
  uint32_t made_ = 0;
};

class FilterProcessTest : public nt::MachineTest {
 protected:
  struct Shape {
    ULONG flags = 0;
    ULONG necessary = 1;
    size_t instances = 1;
  };

  // A filter of two kinds of pins, inputs and outputs, in a machine that runs `body`.
  void with_filter(const Shape& input, const Shape& output, const std::function<void()>& body) {
    run([&] {
      KsGateInitializeAnd(&gate, nullptr);
      dispatch = {};
      dispatch.Process = &process_routine;
      descriptor = {};
      descriptor.Dispatch = &dispatch;
      descriptor.Flags = filter_flags;
      filter_body = {};
      filter_body.Descriptor = &descriptor;
      test = this;
      {
        FilterProcess its_filter({machine(), filter_body, nullptr, "the filter"}, gate);
        filter = &its_filter;
        KSPIN_DESCRIPTOR_EX in{}, out{};
        in.InstancesNecessary = input.necessary;
        out.InstancesNecessary = output.necessary;
        its_filter.set_factories({&in, &out});
        make(kInput, input, inputs, returned_inputs);
        make(kOutput, output, outputs, returned_outputs);
        body();
        for (auto& pin : inputs) its_filter.remove(pin->body);
        for (auto& pin : outputs) its_filter.remove(pin->body);
        inputs.clear();
        outputs.clear();
      }
      test = nullptr;
    });
  }
  void make(ULONG id, const Shape& shape, std::vector<std::unique_ptr<FakePin>>& pins,
            std::vector<Returned>& returned) {
    for (size_t i = 0; i < shape.instances; ++i) {
      pins.push_back(std::make_unique<FakePin>(machine(), id, shape.flags, shape.necessary, returned));
      filter->add({pins.back()->body, *pins.back()->queue, "the pin"});
    }
  }
  void all_to(KSSTATE state) {
    for (auto& pin : inputs) filter->set_state(pin->body, state);
    for (auto& pin : outputs) filter->set_state(pin->body, state);
  }
  FakePin& input() { return *inputs[0]; }
  FakePin& output() { return *outputs[0]; }

  static NTSTATUS process_routine(PKSFILTER, PKSPROCESSPIN_INDEXENTRY index) { return test->process(index); }

  static FilterProcessTest* test;
  ULONG filter_flags = 0;
  KSGATE gate{};
  KSFILTER_DISPATCH dispatch{};
  KSFILTER_DESCRIPTOR descriptor{};
  KSFILTER filter_body{};
  FilterProcess* filter = nullptr;
  std::vector<std::unique_ptr<FakePin>> inputs, outputs;
  std::vector<Returned> returned_inputs, returned_outputs;
  std::function<NTSTATUS(PKSPROCESSPIN_INDEXENTRY)> process;
};
FilterProcessTest* FilterProcessTest::test = nullptr;

TEST_F(FilterProcessTest, ShowsWhatIsAtTheLeadingEdgesAndTakesWhatWasUsed) {
  with_filter({}, {}, [&] {
    all_to(KSSTATE_PAUSE);
    input().add(40, KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT);
    output().add(0);
    ASSERT_TRUE(filter->ready());
    process = [&](PKSPROCESSPIN_INDEXENTRY index) {
      EXPECT_EQ(index[kInput].Count, 1u);
      KSPROCESSPIN& in = *index[kInput].Pins[0];
      KSPROCESSPIN& out = *index[kOutput].Pins[0];
      EXPECT_EQ(in.Pin, &input().body);
      EXPECT_EQ(in.BytesAvailable, 40u);
      EXPECT_EQ(in.Flags, ULONG{KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT});
      EXPECT_EQ(out.BytesAvailable, kExtent);
      EXPECT_EQ(out.StreamPointer->Pin, &output().body);
      EXPECT_EQ(in.InPlaceCounterpart, nullptr);
      std::memcpy(out.Data, in.Data, 40);
      in.BytesUsed = out.BytesUsed = 40;
      out.Terminate = TRUE;
      return STATUS_SUCCESS;
    };
    uint64_t before = filter->progress();
    EXPECT_EQ(filter->run(), Outcome::More);
    EXPECT_NE(filter->progress(), before);
    EXPECT_FALSE(filter->ready());
  });
  EXPECT_EQ(returned_inputs, (std::vector<Returned>{{40, KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT}}));
  EXPECT_EQ(returned_outputs, (std::vector<Returned>{{40, 0}}));
}

TEST_F(FilterProcessTest, AFrameStaysUntilAllOfItIsUsed) {
  with_filter({}, {}, [&] {
    all_to(KSSTATE_PAUSE);
    input().add(40);
    output().add(0);
    ULONG seen = 0;
    process = [&](PKSPROCESSPIN_INDEXENTRY index) {
      seen = index[kInput].Pins[0]->BytesAvailable;
      index[kInput].Pins[0]->BytesUsed = 30;
      return STATUS_PENDING;
    };
    EXPECT_EQ(filter->run(), Outcome::Wait);
    EXPECT_EQ(seen, 40u);
    EXPECT_TRUE(returned_inputs.empty());
    process = [&](PKSPROCESSPIN_INDEXENTRY index) {
      seen = index[kInput].Pins[0]->BytesAvailable;
      index[kInput].Pins[0]->BytesUsed = seen;
      return STATUS_SUCCESS;
    };
    EXPECT_EQ(filter->run(), Outcome::More);
    EXPECT_EQ(seen, 10u);
    EXPECT_EQ(returned_inputs.size(), 1u);
    EXPECT_TRUE(returned_outputs.empty());
  });
}

TEST_F(FilterProcessTest, TerminateLetsAFrameGoWithTheRestUnused) {
  with_filter({}, {}, [&] {
    all_to(KSSTATE_PAUSE);
    input().add(40);
    output().add(0);
    process = [&](PKSPROCESSPIN_INDEXENTRY index) {
      index[kInput].Pins[0]->Terminate = TRUE;
      return STATUS_SUCCESS;
    };
    filter->run();
    EXPECT_EQ(returned_inputs.size(), 1u);
    EXPECT_TRUE(returned_outputs.empty());
  });
}

TEST_F(FilterProcessTest, UsingMoreThanThereIsIsAFinding) {
  observer.then = nt::Then::GoOn;
  with_filter({}, {}, [&] {
    all_to(KSSTATE_PAUSE);
    input().add(40);
    output().add(0);
    process = [&](PKSPROCESSPIN_INDEXENTRY index) {
      // Writing over BytesAvailable does not make it true.
      index[kInput].Pins[0]->BytesAvailable = 100;
      index[kInput].Pins[0]->BytesUsed = 41;
      return STATUS_SUCCESS;
    };
    filter->run();
    EXPECT_EQ(returned_inputs.size(), 1u);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"KsTooMuchUsed"});
}

TEST_F(FilterProcessTest, PinsThatAreStoppedOrMissingAreNotShown) {
  with_filter({.instances = 2}, {.necessary = 0, .instances = 0}, [&] {
    filter->set_state(input().body, KSSTATE_PAUSE);
    input().add(8);
    ASSERT_TRUE(filter->ready());
    process = [&](PKSPROCESSPIN_INDEXENTRY index) {
      EXPECT_EQ(index[kInput].Count, 1u);
      EXPECT_EQ(index[kInput].Pins[0]->Pin, &input().body);
      EXPECT_EQ(index[kOutput].Count, 0u);
      EXPECT_EQ(index[kOutput].Pins, nullptr);
      return STATUS_PENDING;
    };
    filter->run();
  });
}

TEST_F(FilterProcessTest, WaitsForFramesOnEveryPin) {
  with_filter({.instances = 2}, {}, [&] {
    all_to(KSSTATE_PAUSE);
    inputs[0]->add(8);
    output().add(0);
    EXPECT_FALSE(filter->ready());
    inputs[1]->add(8);
    EXPECT_TRUE(filter->ready());
  });
}

TEST_F(FilterProcessTest, OneFrameWillDoWhereSomeAreRequired) {
  with_filter({.flags = KSPIN_FLAG_SOME_FRAMES_REQUIRED_FOR_PROCESSING, .instances = 2}, {}, [&] {
    all_to(KSSTATE_PAUSE);
    output().add(0);
    EXPECT_FALSE(filter->ready());
    inputs[1]->add(8);
    EXPECT_TRUE(filter->ready());
    process = [&](PKSPROCESSPIN_INDEXENTRY index) {
      EXPECT_EQ(index[kInput].Count, 2u);
      EXPECT_EQ(index[kInput].Pins[0]->StreamPointer, nullptr);
      EXPECT_EQ(index[kInput].Pins[0]->BytesAvailable, 0u);
      EXPECT_EQ(index[kInput].Pins[1]->BytesAvailable, 8u);
      return STATUS_PENDING;
    };
    EXPECT_EQ(filter->run(), Outcome::Wait);
  });
}

TEST_F(FilterProcessTest, NoFrameWillDoWhereNoneIsRequired) {
  with_filter({.flags = KSPIN_FLAG_FRAMES_NOT_REQUIRED_FOR_PROCESSING}, {}, [&] {
    all_to(KSSTATE_PAUSE);
    EXPECT_FALSE(filter->ready());
    output().add(0);
    EXPECT_TRUE(filter->ready());
  });
}

TEST_F(FilterProcessTest, WaitsForTheInstancesThatAreNecessary) {
  with_filter({.necessary = 2, .instances = 2}, {}, [&] {
    for (auto& pin : inputs) pin->add(8);
    output().add(0);
    filter->set_state(output().body, KSSTATE_PAUSE);
    filter->set_state(inputs[0]->body, KSSTATE_PAUSE);
    EXPECT_FALSE(filter->ready());
    filter->set_state(inputs[1]->body, KSSTATE_ACQUIRE);
    EXPECT_FALSE(filter->ready());
    filter->set_state(inputs[1]->body, KSSTATE_PAUSE);
    EXPECT_TRUE(filter->ready());
  });
}

TEST_F(FilterProcessTest, APinForTheRunStateAloneHoldsTheFilterBack) {
  with_filter({.flags = KSPIN_FLAG_PROCESS_IN_RUN_STATE_ONLY}, {}, [&] {
    input().add(8);
    output().add(0);
    all_to(KSSTATE_PAUSE);
    EXPECT_FALSE(filter->ready());
    filter->set_state(input().body, KSSTATE_RUN);
    EXPECT_TRUE(filter->ready());
  });
}

TEST_F(FilterProcessTest, OneOfSeveralPinsInRunIsEnoughWhereAnyWillDo) {
  with_filter({.flags = KSPIN_FLAG_PROCESS_IF_ANY_IN_RUN_STATE, .instances = 2}, {}, [&] {
    for (auto& pin : inputs) pin->add(8);
    output().add(0);
    all_to(KSSTATE_PAUSE);
    EXPECT_FALSE(filter->ready());
    filter->set_state(inputs[1]->body, KSSTATE_RUN);
    EXPECT_TRUE(filter->ready());
  });
}

TEST_F(FilterProcessTest, FramesWithoutDataPassTheDriverBy) {
  with_filter({}, {}, [&] {
    all_to(KSSTATE_PAUSE);
    input().add(0, KSSTREAM_HEADER_OPTIONSF_ENDOFSTREAM);
    input().add(8);
    output().add(0);
    output().add(0);
    ULONG seen = 0;
    process = [&](PKSPROCESSPIN_INDEXENTRY index) {
      seen = index[kInput].Pins[0]->BytesAvailable;
      return STATUS_PENDING;
    };
    filter->run();
    EXPECT_EQ(seen, 8u);
    EXPECT_EQ(returned_inputs.size(), 1u);
    EXPECT_EQ(returned_outputs, (std::vector<Returned>{{0, KSSTREAM_HEADER_OPTIONSF_ENDOFSTREAM}}));
  });
}

TEST_F(FilterProcessTest, TheDriverIsNotCalledWhenNothingElseIsLeft) {
  with_filter({}, {}, [&] {
    all_to(KSSTATE_PAUSE);
    input().add(0, KSSTREAM_HEADER_OPTIONSF_ENDOFSTREAM);
    output().add(0);
    process = [](PKSPROCESSPIN_INDEXENTRY) {
      ADD_FAILURE();
      return STATUS_PENDING;
    };
    EXPECT_EQ(filter->run(), Outcome::NotNow);
    EXPECT_EQ(returned_outputs.size(), 1u);
  });
}

TEST_F(FilterProcessTest, ADriverMayAskForFramesWithoutData) {
  filter_flags = KSFILTER_FLAG_RECEIVE_ZERO_LENGTH_SAMPLES;
  with_filter({}, {}, [&] {
    all_to(KSSTATE_PAUSE);
    input().add(0, KSSTREAM_HEADER_OPTIONSF_ENDOFSTREAM);
    output().add(0);
    process = [&](PKSPROCESSPIN_INDEXENTRY index) {
      EXPECT_EQ(index[kInput].Pins[0]->BytesAvailable, 0u);
      EXPECT_EQ(index[kInput].Pins[0]->Flags, ULONG{KSSTREAM_HEADER_OPTIONSF_ENDOFSTREAM});
      index[kInput].Pins[0]->Terminate = TRUE;
      return STATUS_SUCCESS;
    };
    EXPECT_EQ(filter->run(), Outcome::More);
    EXPECT_EQ(returned_inputs.size(), 1u);
  });
}

TEST_F(FilterProcessTest, AnUpdateTakesWhatWasUsedAndShowsTheNextFrame) {
  with_filter({}, {}, [&] {
    all_to(KSSTATE_PAUSE);
    input().add(8);
    input().add(16);
    output().add(0);
    process = [&](PKSPROCESSPIN_INDEXENTRY index) {
      KSPROCESSPIN& in = *index[kInput].Pins[0];
      in.BytesUsed = 8;
      EXPECT_TRUE(filter->update(in));
      EXPECT_EQ(in.BytesAvailable, 16u);
      EXPECT_EQ(in.BytesUsed, 0u);
      in.BytesUsed = 16;
      EXPECT_FALSE(filter->update(in));
      EXPECT_EQ(in.BytesAvailable, 0u);
      return STATUS_SUCCESS;
    };
    filter->run();
    EXPECT_EQ(returned_inputs.size(), 2u);
  });
}

TEST_F(FilterProcessTest, AnOrGateOfTheDriversDecidesForThePinsAttachedToIt) {
  KSGATE either;  // outlives the pins
  with_filter({.instances = 2}, {}, [&] {
    KsGateInitializeOr(&either, nullptr);
    for (auto& pin : inputs) filter->attach(pin->body, &either, GateKind::Or);
    EXPECT_EQ(either.NextGate, &gate);
    EXPECT_FALSE(KsGateGetStateUnsafe(&gate)) << "no input of the OR gate is on";
    all_to(KSSTATE_PAUSE);
    output().add(0);
    EXPECT_TRUE(filter->ready()) << "what the class itself asks for is there";
    EXPECT_FALSE(KsGateGetStateUnsafe(&gate));
    inputs[1]->add(8);
    EXPECT_TRUE(filter->ready());
    EXPECT_TRUE(KsGateGetStateUnsafe(&gate));
    for (auto& pin : inputs) filter->attach(pin->body, nullptr, GateKind::Or);
    EXPECT_EQ(either.NextGate, nullptr);
    EXPECT_EQ(gate.Count, 1);
    EXPECT_FALSE(filter->ready()) << "the pin without frames counts again";
  });
}

TEST_F(FilterProcessTest, AnAndGateOfTheDriversIsNotShutByAPinThatIsStopped) {
  KSGATE both;  // outlives the pins
  with_filter({.instances = 2}, {}, [&] {
    KsGateInitializeAnd(&both, nullptr);
    for (auto& pin : inputs) filter->attach(pin->body, &both, GateKind::And);
    filter->set_state(output().body, KSSTATE_PAUSE);
    filter->set_state(inputs[0]->body, KSSTATE_PAUSE);
    output().add(0);
    filter->ready();
    EXPECT_FALSE(KsGateGetStateUnsafe(&gate));
    inputs[0]->add(8);
    filter->ready();
    EXPECT_TRUE(KsGateGetStateUnsafe(&gate));
  });
}

TEST_F(FilterProcessTest, AGateFreedWhileAPinIsAttachedIsAFinding) {
  observer.then = nt::Then::GoOn;
  with_filter({}, {}, [&] {
    void* memory = machine().pool().allocate(sizeof(KSGATE), 0, nt::PoolKind::NonPaged, nt::PoolFill::Zero);
    auto* either = static_cast<KSGATE*>(memory);
    KsGateInitializeOr(either, nullptr);
    filter->attach(input().body, either, GateKind::Or);
    machine().pool().free(memory, 0);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"KsGateMisused"});
}

}  // namespace
}  // namespace ks
