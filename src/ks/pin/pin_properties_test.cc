#include <gmock/gmock.h>

#include <cstring>

#include "ks/testing/ks_fixture.h"

namespace ks {
namespace {

using ::testing::ElementsAre;

class PinPropertiesTest : public testing::KsTest {
 protected:
  template <typename T>
  T get(HANDLE file, const GUID& set, ULONG id) {
    auto answer = program().get(file, set, id);
    EXPECT_TRUE(answer.ok());
    T value{};
    if (!answer.ok()) return value;
    EXPECT_EQ(answer.value().size(), sizeof(T));
    memcpy(&value, answer.value().data(), std::min(sizeof(T), answer.value().size()));
    return value;
  }
};

TEST_F(PinPropertiesTest, TheStateIsSetAndRead) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    EXPECT_EQ(program().set_state(pin, KSSTATE_PAUSE), STATUS_SUCCESS);
    EXPECT_EQ(get<KSSTATE>(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_STATE), KSSTATE_PAUSE);
    EXPECT_EQ(program().set_state(pin, static_cast<KSSTATE>(7)), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(program().set(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_STATE, "x", 1), STATUS_BUFFER_TOO_SMALL);
  });
  EXPECT_THAT(broken(), ElementsAre());
}

TEST_F(PinPropertiesTest, PriorityHeaderSizeAndFraming) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    KSPRIORITY high{KSPRIORITY_HIGH, 3};
    EXPECT_EQ(program().set(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_PRIORITY, &high, sizeof(high)),
              STATUS_SUCCESS);
    auto priority = get<KSPRIORITY>(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_PRIORITY);
    EXPECT_EQ(priority.PriorityClass, KSPRIORITY_HIGH);
    EXPECT_EQ(get<ULONG>(pin, KSPROPSETID_StreamInterface, KSPROPERTY_STREAMINTERFACE_HEADERSIZE),
              (*pin_of(pin)).StreamHeaderSize);
    auto framing = get<KSALLOCATOR_FRAMING_EX>(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_ALLOCATORFRAMING_EX);
    EXPECT_EQ(framing.FramingItem[0].Frames, 4u);
    auto older = get<KSALLOCATOR_FRAMING>(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_ALLOCATORFRAMING);
    EXPECT_EQ(older.Frames, 4u);
    EXPECT_EQ(older.FrameSize, 4096u);
  });
}

TEST_F(PinPropertiesTest, WithoutFramingThereIsNone) {
  driver.pins[0].AllocatorFraming = nullptr;
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    EXPECT_EQ(program().get(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_ALLOCATORFRAMING_EX).status(),
              STATUS_NOT_FOUND);
  });
}

TEST_F(PinPropertiesTest, FormatsAreProposedAndSet) {
  driver.range.MajorFormat = KSDATAFORMAT_TYPE_VIDEO;
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    auto set = [&](ULONG id, const KSDATAFORMAT& format, ULONG bytes) {
      return program().set(pin, KSPROPSETID_Connection, id, &format, bytes);
    };
    KSDATAFORMAT other = format();
    other.SubFormat = KSDATAFORMAT_SUBTYPE_NONE;
    EXPECT_EQ(set(KSPROPERTY_CONNECTION_PROPOSEDATAFORMAT, other, sizeof(other)), STATUS_SUCCESS);
    EXPECT_EQ(pin_of(pin).format().SubFormat, GUID_NULL);
    EXPECT_EQ(set(KSPROPERTY_CONNECTION_DATAFORMAT, other, sizeof(other)), STATUS_SUCCESS);
    EXPECT_EQ(get<KSDATAFORMAT>(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_DATAFORMAT).SubFormat,
              KSDATAFORMAT_SUBTYPE_NONE);
    other.MajorFormat = KSDATAFORMAT_TYPE_AUDIO;
    EXPECT_EQ(set(KSPROPERTY_CONNECTION_PROPOSEDATAFORMAT, other, sizeof(other)), STATUS_NO_MATCH);
    EXPECT_EQ(set(KSPROPERTY_CONNECTION_DATAFORMAT, other, sizeof(other)), STATUS_NO_MATCH);
    EXPECT_EQ(set(KSPROPERTY_CONNECTION_DATAFORMAT, other, sizeof(other) - 1), STATUS_INVALID_BUFFER_SIZE);
    other.FormatSize = sizeof(other) + 1;
    EXPECT_EQ(set(KSPROPERTY_CONNECTION_DATAFORMAT, other, sizeof(other)), STATUS_INVALID_BUFFER_SIZE);
  });
}

TEST_F(PinPropertiesTest, AFixedFormatStays) {
  driver.pins[0].Flags = KSPIN_FLAG_FIXED_FORMAT;
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    KSDATAFORMAT same = format();
    EXPECT_EQ(program().set(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_DATAFORMAT, &same, sizeof(same)),
              STATUS_INVALID_DEVICE_REQUEST);
  });
}

TEST_F(PinPropertiesTest, OnlyTheRightKindOfFileIsAssigned) {
  driver.pins[0].Flags = KSPIN_FLAG_IMPLEMENT_CLOCK;
  run_driver([&] {
    HANDLE filter = open_filter();
    HANDLE pin = open_pin(filter, 0);
    HANDLE clock = program().open_clock(pin).take();
    EXPECT_EQ(get<HANDLE>(pin, KSPROPSETID_Stream, KSPROPERTY_STREAM_MASTERCLOCK), nullptr);
    EXPECT_EQ(program().assign_clock(pin, filter), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(program().assign_allocator(pin, clock), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(program().assign_clock(pin, reinterpret_cast<HANDLE>(uintptr_t{0x12345})), STATUS_INVALID_HANDLE);
    EXPECT_EQ(program().assign_clock(pin, clock), STATUS_SUCCESS);
    EXPECT_NE(pin_of(pin).clock_file(), nullptr);
    EXPECT_EQ(program().assign_clock(pin, nullptr), STATUS_SUCCESS);
    EXPECT_EQ(pin_of(pin).clock_file(), nullptr);
    EXPECT_EQ(program().set_state(pin, KSSTATE_ACQUIRE), STATUS_SUCCESS);
    EXPECT_EQ(program().assign_clock(pin, clock), STATUS_INVALID_DEVICE_STATE);
  });
  EXPECT_THAT(broken(), ElementsAre());
}

}  // namespace
}  // namespace ks
