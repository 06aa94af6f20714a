#include "ks/property/method_request.h"

#include <gmock/gmock.h>

#include "ks/testing/ks_fixture.h"

namespace ks {
namespace {

using ::testing::ElementsAre;

constexpr GUID kSet = {0x99999999, 1, 1, {1, 1, 2, 3, 5, 8, 13, 21}};
enum : ULONG { kNone, kRead, kWrite, kModify, kSource };

ULONG g_saw;
bool g_had_mdl;

NTSTATUS add_one(PIRP irp, PKSIDENTIFIER, PVOID data) {
  g_had_mdl = irp->MdlAddress != nullptr;
  if (!data) return STATUS_SUCCESS;
  g_saw = *static_cast<ULONG*>(data);
  ++*static_cast<ULONG*>(data);
  irp->IoStatus.Information = sizeof(ULONG);
  return STATUS_SUCCESS;
}

const KSMETHOD_ITEM kItems[] = {
    DEFINE_KSMETHOD_ITEM(kNone, KSMETHOD_TYPE_NONE, add_one, sizeof(KSMETHOD), 0, nullptr),
    DEFINE_KSMETHOD_ITEM(kRead, KSMETHOD_TYPE_READ, add_one, sizeof(KSMETHOD), sizeof(ULONG), nullptr),
    DEFINE_KSMETHOD_ITEM(kWrite, KSMETHOD_TYPE_WRITE, add_one, sizeof(KSMETHOD), sizeof(ULONG), nullptr),
    DEFINE_KSMETHOD_ITEM(kModify, KSMETHOD_TYPE_MODIFY, add_one, sizeof(KSM_NODE), sizeof(ULONG), nullptr),
    DEFINE_KSMETHOD_ITEM(kSource, KSMETHOD_TYPE_MODIFY | KSMETHOD_TYPE_SOURCE, add_one, sizeof(KSMETHOD), sizeof(ULONG),
                         nullptr),
};
const KSMETHOD_SET kSets[] = {DEFINE_KSMETHOD_SET(&kSet, std::size(kItems), kItems, 0, nullptr)};
const KSAUTOMATION_TABLE kTable = {DEFINE_KSAUTOMATION_PROPERTIES_NULL, DEFINE_KSAUTOMATION_METHODS(kSets),
                                   DEFINE_KSAUTOMATION_EVENTS_NULL};

class MethodRequestTest : public testing::KsTest {
 protected:
  MethodRequestTest() { driver.filter_descriptor.AutomationTable = &kTable; }

  NTSTATUS ask(HANDLE file, ULONG id, ULONG flags, void* data, ULONG bytes, const GUID& set = kSet) {
    KSM_NODE request{};
    request.Method.Set = set;
    request.Method.Id = id;
    request.Method.Flags = flags;
    g_saw = 0;
    ULONG length = id == kModify ? sizeof(KSM_NODE) : sizeof(KSMETHOD);
    return program().control(file, IOCTL_KS_METHOD, &request, length, data, bytes);
  }
};

TEST_F(MethodRequestTest, DataGoesAsTheTableSays) {
  run_driver([&] {
    HANDLE filter = open_filter();
    struct {
      ULONG id, saw, left;
    } const expected[] = {{kNone, 0, 7}, {kRead, 7, 7}, {kWrite, 0, 1}, {kModify, 7, 8}, {kSource, 7, 8}};
    for (const auto& each : expected) {
      SCOPED_TRACE(each.id);
      ULONG number = 7;
      EXPECT_EQ(ask(filter, each.id, KSMETHOD_TYPE_SEND, &number, sizeof(number)), STATUS_SUCCESS);
      EXPECT_EQ(g_saw, each.saw);
      EXPECT_EQ(number, each.left);
      EXPECT_EQ(g_had_mdl, each.id == kSource);
    }
  });
  EXPECT_THAT(broken(), ElementsAre());
}

TEST_F(MethodRequestTest, WrongRequestsAreRefused) {
  run_driver([&] {
    HANDLE filter = open_filter();
    ULONG number = 0;
    EXPECT_EQ(ask(filter, 9, KSMETHOD_TYPE_SEND, &number, 4), STATUS_NOT_FOUND);
    EXPECT_EQ(ask(filter, kRead, KSMETHOD_TYPE_SEND, &number, 4, KSPROPSETID_Pin), STATUS_PROPSET_NOT_FOUND);
    EXPECT_EQ(ask(filter, kRead, KSMETHOD_TYPE_SEND, nullptr, 0), STATUS_BUFFER_OVERFLOW);
    EXPECT_EQ(ask(filter, kRead, KSMETHOD_TYPE_SEND, &number, 2), STATUS_BUFFER_TOO_SMALL);
    EXPECT_EQ(ask(filter, kRead, KSMETHOD_TYPE_SEND | KSMETHOD_TYPE_BASICSUPPORT, &number, 4),
              STATUS_INVALID_PARAMETER);
    EXPECT_EQ(ask(filter, kRead, KSMETHOD_TYPE_SEND, reinterpret_cast<void*>(uintptr_t{16}), 4),
              STATUS_ACCESS_VIOLATION);
    EXPECT_EQ(ask(filter, kRead, KSMETHOD_TYPE_BASICSUPPORT, &number, 4), STATUS_SUCCESS);
    EXPECT_EQ(number, ULONG{KSMETHOD_TYPE_READ});
    EXPECT_EQ(ask(filter, 0, KSMETHOD_TYPE_SETSUPPORT, nullptr, 0), STATUS_SUCCESS);
  });
}

}  // namespace
}  // namespace ks
