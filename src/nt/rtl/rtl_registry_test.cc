#include "nt/store/registry.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

PWSTR wide(const char16_t* text) { return const_cast<PWSTR>(reinterpret_cast<PCWSTR>(text)); }

constexpr const char16_t* kMill = u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\mill";

// What a routine was called with: "name type length".
Strings g_calls;
NTSTATUS g_answer = STATUS_SUCCESS;

NTSTATUS note_value(PWSTR name, ULONG type, PVOID data, ULONG bytes, PVOID context, PVOID entry_context) {
  std::string text;
  for (; name && *name; ++name) text += static_cast<char>(*name);
  text += " " + std::to_string(type) + " " + std::to_string(bytes) + (data ? "" : " none");
  EXPECT_EQ(context, &g_calls);
  EXPECT_EQ(entry_context, &g_answer);
  g_calls.push_back(text);
  return g_answer;
}

class RtlRegistryTest : public MachineTest {
 protected:
  void with_key(const std::function<void()>& body) {
    g_calls.clear();
    g_answer = STATUS_SUCCESS;
    run([&] {
      Registry& registry = machine().registry();
      registry.set_dword(kMill, u"Depth", 7).take();
      registry.set_string(kMill, u"Mode", u"fast").take();
      const uint8_t list[] = {'a', 0, 0, 0, 'b', 0, 'c', 0, 0, 0, 0, 0};
      registry.set_value(kMill, u"List", REG_MULTI_SZ, list).take();
      const uint8_t blob[] = {1, 2, 3, 4, 5, 6};
      registry.set_value(kMill, u"Blob", REG_BINARY, blob).take();
      registry.set_dword(std::u16string(kMill) + u"\\Sub", u"Deep", 1).take();
      body();
      EXPECT_EQ(machine().end_scope(machine().root_scope()), 0u);
    });
    EXPECT_TRUE(broken().empty());
  }
  static NTSTATUS query(RTL_QUERY_REGISTRY_TABLE entry) {
    RTL_QUERY_REGISTRY_TABLE table[2] = {entry, {}};
    return RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, wide(u"mill"), table, &g_calls, nullptr);
  }
  static RTL_QUERY_REGISTRY_TABLE routine(const char16_t* name, ULONG flags = 0) {
    return {note_value, flags, name ? wide(name) : nullptr, &g_answer, REG_NONE, nullptr, 0};
  }
  static RTL_QUERY_REGISTRY_TABLE direct(const char16_t* name, void* to, ULONG type = REG_NONE, ULONG more = 0) {
    ULONG check = type == REG_NONE ? 0 : RTL_QUERY_REGISTRY_TYPECHECK;
    return {nullptr, RTL_QUERY_REGISTRY_DIRECT | check | more,   wide(name),
            to,      type << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT, nullptr,
            0};
  }
};

TEST_F(RtlRegistryTest, KeysAreFoundMadeAndWritten) {
  with_key([&] {
    EXPECT_EQ(RtlCheckRegistryKey(RTL_REGISTRY_SERVICES, wide(u"mill")), STATUS_SUCCESS);
    EXPECT_EQ(RtlCheckRegistryKey(RTL_REGISTRY_ABSOLUTE, wide(kMill)), STATUS_SUCCESS);
    EXPECT_EQ(RtlCheckRegistryKey(RTL_REGISTRY_CONTROL, wide(u"mill")), STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(RtlCheckRegistryKey(17, wide(u"mill")), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(RtlCreateRegistryKey(RTL_REGISTRY_SERVICES, wide(u"new\\deep")), STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(RtlCreateRegistryKey(RTL_REGISTRY_SERVICES, wide(u"new")), STATUS_SUCCESS);
    EXPECT_EQ(RtlCheckRegistryKey(RTL_REGISTRY_SERVICES, wide(u"new")), STATUS_SUCCESS);
    ULONG value = 3, read = 0;
    EXPECT_EQ(RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, wide(u"mill"), wide(u"Depth"), REG_DWORD, &value, 4),
              STATUS_SUCCESS);
    EXPECT_EQ(query(direct(u"Depth", &read, REG_DWORD)), STATUS_SUCCESS);
    EXPECT_EQ(read, 3u);
    EXPECT_EQ(RtlDeleteRegistryValue(RTL_REGISTRY_SERVICES, wide(u"mill"), wide(u"Depth")), STATUS_SUCCESS);
    EXPECT_EQ(RtlDeleteRegistryValue(RTL_REGISTRY_SERVICES, wide(u"mill"), wide(u"Depth")),
              STATUS_OBJECT_NAME_NOT_FOUND);
  });
}

TEST_F(RtlRegistryTest, RoutinesAreCalledWithValues) {
  with_key([&] {
    EXPECT_EQ(query(routine(u"Mode")), STATUS_SUCCESS);
    EXPECT_EQ(query(routine(u"List")), STATUS_SUCCESS);  // one call for each string
    EXPECT_EQ(query(routine(u"List", RTL_QUERY_REGISTRY_NOEXPAND)), STATUS_SUCCESS);
    EXPECT_EQ(query(routine(u"None")), STATUS_SUCCESS);
    EXPECT_EQ(query(routine(u"None", RTL_QUERY_REGISTRY_REQUIRED)), STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(query(routine(u"Any", RTL_QUERY_REGISTRY_NOVALUE)), STATUS_SUCCESS);
    EXPECT_EQ(query(routine(u"Sub", RTL_QUERY_REGISTRY_SUBKEY)), STATUS_SUCCESS);
  });
  EXPECT_EQ(g_calls, (Strings{"Mode 1 10", "List 1 4", "List 1 6", "List 7 12", "Any 0 0 none", "Sub 4 4"}));
}

TEST_F(RtlRegistryTest, WithoutANameAllValuesAreReported) {
  with_key([&] { EXPECT_EQ(query(routine(nullptr, RTL_QUERY_REGISTRY_NOEXPAND)), STATUS_SUCCESS); });
  EXPECT_EQ(g_calls, (Strings{"Depth 4 4", "Mode 1 10", "List 7 12", "Blob 3 6"}));
}

TEST_F(RtlRegistryTest, ARoutinesFailureEndsTheQuery) {
  with_key([&] {
    g_answer = STATUS_BUFFER_TOO_SMALL;  // the one that is overlooked
    EXPECT_EQ(query(routine(u"Mode")), STATUS_SUCCESS);
    g_answer = STATUS_DEVICE_BUSY;
    EXPECT_EQ(query(routine(nullptr)), STATUS_DEVICE_BUSY);
  });
  EXPECT_EQ(g_calls.size(), 2u);
}

TEST_F(RtlRegistryTest, DirectValuesAreStored) {
  with_key([&] {
    UNICODE_STRING given = {0, 0, nullptr};
    EXPECT_EQ(query(direct(u"Mode", &given, REG_SZ)), STATUS_SUCCESS);
    EXPECT_EQ(given.Length, 8);
    EXPECT_EQ(given.Buffer[3], 't');
    ExFreePool(given.Buffer);
    WCHAR few[4];
    UNICODE_STRING small = {0, sizeof(few), few};
    EXPECT_EQ(query(direct(u"Mode", &small, REG_SZ)), STATUS_BUFFER_TOO_SMALL);
    EXPECT_EQ(query(direct(u"Mode", &small, REG_DWORD)), STATUS_OBJECT_TYPE_MISMATCH);
    struct {
      LONG size;
      ULONG type;
      UCHAR data[8];
    } blob = {16, 0, {}};
    EXPECT_EQ(query(direct(u"Blob", &blob, REG_BINARY)), STATUS_SUCCESS);
    EXPECT_EQ(blob.size, 6);
    EXPECT_EQ(blob.type, static_cast<ULONG>(REG_BINARY));
    EXPECT_EQ(blob.data[5], 6);
    blob.size = -6;  // the data alone
    EXPECT_EQ(query(direct(u"Blob", &blob, REG_BINARY)), STATUS_SUCCESS);
    EXPECT_EQ(blob.size, 0x04030201);
    blob.size = -5;
    EXPECT_EQ(query(direct(u"Blob", &blob, REG_BINARY)), STATUS_BUFFER_TOO_SMALL);
    ULONG number = 0;
    EXPECT_EQ(query(direct(u"Depth", &number, REG_DWORD, RTL_QUERY_REGISTRY_DELETE)), STATUS_SUCCESS);
    EXPECT_EQ(number, 7u);
    EXPECT_EQ(query(direct(u"Depth", &number, REG_DWORD, RTL_QUERY_REGISTRY_REQUIRED)), STATUS_OBJECT_NAME_NOT_FOUND);
    RTL_QUERY_REGISTRY_TABLE both = direct(u"Mode", &given);
    both.QueryRoutine = note_value;
    EXPECT_EQ(query(both), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(RtlRegistryTest, DefaultsStandInForWhatIsNotThere) {
  with_key([&] {
    ULONG fallback = 9, read = 0;
    RTL_QUERY_REGISTRY_TABLE entry = direct(u"None", &read, REG_DWORD);
    entry.DefaultType |= REG_DWORD;
    entry.DefaultData = &fallback;
    entry.DefaultLength = sizeof(fallback);
    EXPECT_EQ(query(entry), STATUS_SUCCESS);
    EXPECT_EQ(read, 9u);
    RTL_QUERY_REGISTRY_TABLE text = routine(u"None");
    text.DefaultType = REG_SZ;
    text.DefaultData = wide(u"abc");
    EXPECT_EQ(query(text), STATUS_SUCCESS);
  });
  EXPECT_EQ(g_calls, Strings{"None 1 8"});
}

TEST_F(RtlRegistryTest, OneTableGoesThroughSeveralKeys) {
  with_key([&] {
    ULONG depth = 0, deep = 0;
    RTL_QUERY_REGISTRY_TABLE table[] = {
        {nullptr, RTL_QUERY_REGISTRY_SUBKEY, wide(u"Sub"), nullptr, REG_NONE, nullptr, 0},
        direct(u"Deep", &deep),
        direct(u"Depth", &depth, REG_NONE, RTL_QUERY_REGISTRY_TOPKEY),
        {}};
    EXPECT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, wide(u"mill"), table, nullptr, nullptr), STATUS_SUCCESS);
    EXPECT_EQ(deep, 1u);
    EXPECT_EQ(depth, 7u);
    EXPECT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, wide(u"no"), table, nullptr, nullptr),
              STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(
        RtlQueryRegistryValues(RTL_REGISTRY_SERVICES | RTL_REGISTRY_OPTIONAL, wide(u"no"), table, nullptr, nullptr),
        STATUS_SUCCESS);
  });
}

}  // namespace
}  // namespace nt
