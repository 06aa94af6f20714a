#include "ks/stream/stream_irp.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "abi/ks/ksmedia.h"
#include "ks/allocator/frame_guard.h"
#include "ks/testing/queue_fixture.h"
#include "nt/fault/fault.h"
#include "nt/io/irps.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

// What clients may send, what is refused, and what is made of the headers that a driver leaves.
namespace ks {
namespace {

using nt::Machine;
using Names = std::vector<std::string>;

class StreamIrpTest : public nt::MachineTest {
 protected:
  StreamIrpTest() { observer.then = nt::Then::GoOn; }

  void with_queue(const LoneQueue::Options& queue_options, const std::function<void(LoneQueue&)>& body) {
    run([&] {
      LoneQueue lone(machine(), queue_options);
      body(lone);
    });
  }
  // The status with which a request is refused after `spoil`; 0 when it is accepted.
  NTSTATUS judged(LoneQueue& lone, const ClientRequest::Options& request_options,
                  const std::function<void(ClientRequest&)>& spoil) {
    ClientRequest request(machine(), request_options);
    spoil(request);
    auto probed = StreamIrp::probe(*lone.queue, *request.irp);
    NTSTATUS status = probed.status();
    if (probed.ok()) {
      EXPECT_EQ(request.irp->MdlAddress != nullptr, request_options.bytes != 0);
      probed.take().reset();
    }
    EXPECT_EQ(request.irp->MdlAddress, nullptr);
    EXPECT_EQ(request.irp->AssociatedIrp.SystemBuffer, nullptr);
    EXPECT_EQ(machine().root_scope().count(), held_) << "nothing is kept";
    machine().irps().free(*request.irp);
    return status;
  }
  size_t held_ = 0;
};

TEST_F(StreamIrpTest, BadReadsAreRefused) {
  with_queue({}, [&](LoneQueue& lone) {
    held_ = machine().root_scope().count();
    auto control = [](ClientRequest & r) -> auto& { return r.location().Parameters.DeviceIoControl; };
    auto bad = [&](const std::function<void(ClientRequest&)>& spoil) { return judged(lone, {}, spoil); };
    EXPECT_EQ(bad([](ClientRequest&) {}), STATUS_SUCCESS);
    EXPECT_EQ(bad([&](ClientRequest& r) { control(r).IoControlCode = IOCTL_KS_WRITE_STREAM; }),
              STATUS_INVALID_DEVICE_REQUEST);
    EXPECT_EQ(bad([&](ClientRequest& r) { control(r).OutputBufferLength = 0; }), STATUS_INVALID_BUFFER_SIZE);
    EXPECT_EQ(bad([&](ClientRequest& r) { --control(r).OutputBufferLength; }), STATUS_INVALID_BUFFER_SIZE);
    EXPECT_EQ(bad([&](ClientRequest& r) { control(r).OutputBufferLength += 8; }), STATUS_INVALID_BUFFER_SIZE);
    EXPECT_EQ(bad([](ClientRequest& r) { r.irp->UserBuffer = static_cast<char*>(r.irp->UserBuffer) + 4; }),
              STATUS_DATATYPE_MISALIGNMENT);
    EXPECT_EQ(bad([](ClientRequest& r) { r.irp->UserBuffer = reinterpret_cast<void*>(0x1000); }),
              STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(bad([&](ClientRequest& r) { r.irp->UserBuffer = lone.pin; }), STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(bad([](ClientRequest& r) { r.header().Size = 0; }), STATUS_INVALID_BUFFER_SIZE);
    EXPECT_EQ(bad([](ClientRequest& r) { r.header().Size = sizeof(KSSTREAM_HEADER) + 4; }), STATUS_INVALID_BUFFER_SIZE);
    EXPECT_EQ(bad([](ClientRequest& r) { r.header().Size = 0x40000000; }), STATUS_INVALID_BUFFER_SIZE);
    EXPECT_EQ(bad([](ClientRequest& r) { r.header().DataUsed = 1; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(bad([](ClientRequest& r) { r.header().Data = nullptr; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(bad([](ClientRequest& r) { r.header().FrameExtent = 0; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(bad([](ClientRequest& r) { r.header().OptionsFlags = 0x20; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(bad([](ClientRequest& r) { r.header().Data = reinterpret_cast<void*>(0x1000); }),
              STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(bad([&](ClientRequest& r) { r.header().Data = lone.pin; }), STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(bad([](ClientRequest& r) { r.header().Data = reinterpret_cast<void*>(~uintptr_t{0} - 8); }),
              STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(judged(lone, {.frames = 3}, [](ClientRequest& r) { r.header(2).Size += 8; }), STATUS_INVALID_BUFFER_SIZE);
    EXPECT_EQ(judged(lone, {.frames = 3}, [](ClientRequest& r) { r.header(2).Data = reinterpret_cast<void*>(8); }),
              STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(judged(lone, {.bytes = 0}, [](ClientRequest&) {}), STATUS_SUCCESS);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(StreamIrpTest, BadWritesAreRefused) {
  with_queue({.flow = KSPIN_DATAFLOW_IN}, [&](LoneQueue& lone) {
    held_ = machine().root_scope().count();
    ClientRequest::Options write = {.write = true};
    EXPECT_EQ(judged(lone, write, [](ClientRequest&) {}), STATUS_SUCCESS);
    EXPECT_EQ(judged(lone, {}, [](ClientRequest&) {}), STATUS_INVALID_DEVICE_REQUEST);
    EXPECT_EQ(judged(lone, write, [](ClientRequest& r) { r.header().DataUsed = 65; }), STATUS_INVALID_PARAMETER);
    auto new_format = [](ClientRequest& r) { r.header().OptionsFlags = KSSTREAM_HEADER_OPTIONSF_TYPECHANGED; };
    EXPECT_EQ(judged(lone, write, new_format), STATUS_SUCCESS);
    EXPECT_EQ(judged(lone, {.frames = 2, .write = true}, new_format), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(judged(lone, {.header_bytes = sizeof(KSSTREAM_HEADER) + 8, .write = true}, new_format),
              STATUS_INVALID_PARAMETER);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(StreamIrpTest, HeadersInTheInputBufferAreFoundToo) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest request(machine());
    auto& control = request.location().Parameters.DeviceIoControl;
    control.Type3InputBuffer = request.irp->UserBuffer;
    control.InputBufferLength = control.OutputBufferLength;
    control.OutputBufferLength = 0;
    request.send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    EXPECT_EQ(leading->lock(), STATUS_SUCCESS);
    leading->advance_offsets(0, 5, Eject::Yes, Then::Unlock);
    EXPECT_EQ(request.status.Status, STATUS_SUCCESS);
    EXPECT_EQ(request.header().DataUsed, 5u);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(StreamIrpTest, AClientWhoseHeadersAreGoneAtTheEndHearsOfIt) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest request(machine());
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *static_cast<KSSTREAM_HEADER*>(page) = request.header();
    request.irp->UserBuffer = page;
    request.send(*lone.queue);
    munmap(page, 4096);
    lone.queue->leading()->advance();
    EXPECT_EQ(request.status.Status, STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(request.status.Information, 0u);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(StreamIrpTest, TheClassesOwnFrameGoesRoundAndIsRenewed) {
  with_queue({}, [&](LoneQueue& lone) {
    lone.pin->StreamHeaderSize = sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO);
    auto* memory =
        static_cast<uint8_t*>(machine().pool().allocate(4096, 0, nt::PoolKind::NonPaged, nt::PoolFill::Zero));
    std::unique_ptr<StreamIrp> came_out;
    lone.on_left = [&](std::unique_ptr<StreamIrp> irp) { came_out = std::move(irp); };
    auto own = StreamIrp::make(*lone.queue, memory, 4096);
    ASSERT_TRUE(own && own->own());
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(own->frames()[0].header->DataUsed, 0u);
      EXPECT_EQ(own->frames()[0].header->Size, lone.pin->StreamHeaderSize);
      ASSERT_TRUE(lone.queue->add(std::move(own)).ok());
      StreamPointer* leading = lone.queue->leading();
      ASSERT_EQ(leading->lock(), STATUS_SUCCESS);
      EXPECT_EQ(leading->mdl()->ByteCount, 4096u);
      leading->advance_offsets(0, 4096, Eject::No, Then::Keep);
      own = std::move(came_out);
      ASSERT_TRUE(own);
      EXPECT_EQ(own->frames()[0].header->DataUsed, 4096u);
      own->renew();
    }
    own.reset();
    machine().pool().free(memory, 0);
  });
  EXPECT_EQ(broken(), Names{});
}

// --- Headers that drivers leave ---

class FrameCheckTest : public StreamIrpTest {
 protected:
  static constexpr uint32_t kExtended = sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO);

  // What is found when the driver leaves these headers on frames that came in this order.
  Names found(const std::vector<std::function<void(KSSTREAM_HEADER&, KS_FRAME_INFO&)>>& fills) {
    observer.violations.clear();
    with_queue({}, [&](LoneQueue& lone) {
      for (auto& fill : fills) {
        ClientRequest request(machine(), {.header_bytes = kExtended});
        request.send(*lone.queue);
        StreamPointer* leading = lone.queue->leading();
        leading->lock();
        KSSTREAM_HEADER* header = (**leading).StreamHeader;
        fill(*header, *reinterpret_cast<KS_FRAME_INFO*>(header + 1));
        leading->unlock(Eject::Yes);
        EXPECT_LE(request.header().DataUsed, request.header().FrameExtent);
      }
    });
    return broken();
  }
  static auto timed(LONGLONG time, ULONG numerator, ULONG denominator) {
    return [=](KSSTREAM_HEADER& header, KS_FRAME_INFO&) {
      header.PresentationTime = {time, numerator, denominator};
      header.OptionsFlags = KSSTREAM_HEADER_OPTIONSF_TIMEVALID;
    };
  }
  static auto picture(LONGLONG number, LONGLONG drops, ULONG flags = 0) {
    return [=](KSSTREAM_HEADER& header, KS_FRAME_INFO& info) {
      info.ExtendedHeaderSize = sizeof(info);
      info.PictureNumber = number;
      info.DropCount = drops;
      header.DataUsed = 1;  // one without data has not been filled, whatever it says
      header.OptionsFlags = flags;
      header.DataUsed = 1;
    };
  }
};

TEST_F(FrameCheckTest, DataUsedDoesNotExceedTheFrame) {
  EXPECT_EQ(found({[](KSSTREAM_HEADER& header, KS_FRAME_INFO&) { header.DataUsed = 64; }}), Names{});
  EXPECT_EQ(found({[](KSSTREAM_HEADER& header, KS_FRAME_INFO&) { header.DataUsed = 65; }}), Names{"KsTooMuchUsed"});
}

TEST_F(FrameCheckTest, PresentationTimesDoNotRunBackwards) {
  EXPECT_EQ(found({timed(10, 1, 1), timed(10, 1, 1), timed(11, 1, 1)}), Names{});
  EXPECT_EQ(found({timed(10, 1, 1), timed(9, 1, 1)}), Names{"KsTimeBackwards"});
  EXPECT_EQ(found({timed(10, 1, 1), timed(11, 10, 11), timed(9, 2, 1)}), Names{}) << "times are scaled";
  EXPECT_EQ(found({timed(10, 1, 1), timed(11, 1, 2)}), Names{"KsTimeBackwards"});
  EXPECT_EQ(found({timed(10, 0, 1), timed(10, 1, 0)}), (Names{"KsTimeFractionZero", "KsTimeFractionZero"}));
  EXPECT_EQ(found({[](KSSTREAM_HEADER& header, KS_FRAME_INFO&) { header.PresentationTime = {}; }}), Names{})
      << "no time is claimed";
}

TEST_F(FrameCheckTest, PicturesAreCountedUpAndDropsAreAnnounced) {
  EXPECT_EQ(found({picture(1, 0), picture(2, 0), picture(2, 0)}), Names{});
  EXPECT_EQ(found({picture(2, 0), picture(1, 0)}), Names{"KsPictureNumberBack"});
  EXPECT_EQ(found({picture(1, 0), picture(3, 1)}), Names{"KsNoDiscontinuity"});
  EXPECT_EQ(found({picture(1, 0), picture(3, 1, KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY)}), Names{});
}

// The frame that said so was cancelled: the driver has said it all the same.
TEST_F(FrameCheckTest, DropsAreAnnouncedOnAFrameThatIsCancelled) {
  with_queue({}, [&](LoneQueue& lone) {
    auto send = [&](ClientRequest& request, const std::function<void(KSSTREAM_HEADER&, KS_FRAME_INFO&)>& fill,
                    Eject eject) {
      request.send(*lone.queue);
      StreamPointer* leading = lone.queue->leading();
      leading->lock();
      KSSTREAM_HEADER* header = (**leading).StreamHeader;
      fill(*header, *reinterpret_cast<KS_FRAME_INFO*>(header + 1));
      leading->unlock(eject);
    };
    ClientRequest first(machine(), {.header_bytes = kExtended});
    ClientRequest cancelled(machine(), {.header_bytes = kExtended});
    ClientRequest last(machine(), {.header_bytes = kExtended});
    send(first, picture(1, 0), Eject::Yes);
    send(cancelled, picture(3, 1, KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY), Eject::No);
    EXPECT_TRUE(machine().irps().cancel(*cancelled.irp));
    send(last, picture(4, 1), Eject::Yes);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FrameCheckTest, CountersMayBeginAnewAfterAFlush) {
  with_queue({}, [&](LoneQueue& lone) {
    for (LONGLONG number : {5, 1}) {
      ClientRequest request(machine(), {.header_bytes = kExtended});
      request.send(*lone.queue);
      StreamPointer* leading = lone.queue->leading();
      leading->lock();
      KSSTREAM_HEADER* header = (**leading).StreamHeader;
      picture(number, number)(*header, *reinterpret_cast<KS_FRAME_INFO*>(header + 1));
      leading->unlock(Eject::Yes);
      lone.queue->flush(STATUS_CANCELLED);
    }
  });
  EXPECT_EQ(broken(), Names{});
}

// An extended header written where there is only a short one.
TEST_F(FrameCheckTest, WritingBehindAHeaderIsFound) {
  if (base::kSanitizer == base::Sanitizer::Address) GTEST_SKIP() << "AddressSanitizer sees it first";
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest request(machine());
    request.send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    leading->lock();
    reinterpret_cast<KS_FRAME_INFO*>((**leading).StreamHeader + 1)->ExtendedHeaderSize = sizeof(KS_FRAME_INFO);
    leading->unlock(Eject::Yes);
  });
  EXPECT_EQ(broken(), Names{"KsHeaderOverrun"});
}

// For callers that catch accesses by other means: a sanitizer's report gets its rule here.
TEST_F(FrameCheckTest, TouchingAroundAHeaderIsExplained) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest request(machine());
    request.send(*lone.queue);
    auto header = reinterpret_cast<uintptr_t>((**lone.queue->leading()).StreamHeader);
    auto at = [&](size_t offset) {
      auto story = nt::explain_fault(machine(), header + offset);
      return story ? std::string(to_string(story->what)) : "";
    };
    EXPECT_EQ(at(sizeof(KSSTREAM_HEADER) + 4), "KsHeaderOverrun");
    lone.queue->flush(STATUS_CANCELLED);
    EXPECT_EQ(at(0), "KsFrameTouchedUnlocked");
    EXPECT_FALSE(nt::explain_fault(machine(), reinterpret_cast<uintptr_t>(lone.pin)));
  });
}

TEST_F(FrameCheckTest, WritingBehindARegisteredFrameIsFound) {
  std::vector<uint8_t> memory(64 + 32);
  FrameGuard::register_frame(memory.data(), 64, 32);
  with_queue({}, [&](LoneQueue& lone) {
    for (int touched : {63, 70}) {
      ClientRequest request(machine());
      request.header().Data = memory.data();
      request.send(*lone.queue);
      StreamPointer* leading = lone.queue->leading();
      leading->lock();
      (**leading).OffsetOut.Data[touched] = 1;
      leading->unlock(Eject::Yes);
    }
  });
  FrameGuard::unregister_frame(memory.data());
  ASSERT_EQ(broken(), Names{"KsFrameOverrun"});
  EXPECT_EQ(observer.violations[0].sentence, "the pin: 7 byte(s) behind a frame of 64 bytes were written");
}

}  // namespace
}  // namespace ks
