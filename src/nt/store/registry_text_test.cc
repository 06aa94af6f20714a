#include "nt/store/registry_text.h"

#include <gtest/gtest.h>

namespace nt {
namespace {

constexpr std::string_view kHead = "[\\Registry\\Machine\\Software]\n";

std::string refusal(const std::string& line) {
  std::string message;
  EXPECT_FALSE(parse_registry(std::string(kHead) + line, "a.reg", &message).ok());
  return message;
}

RegistryValue only(const std::string& line) {
  std::string message;
  auto parsed = parse_registry(std::string(kHead) + line, "a.reg", &message);
  EXPECT_TRUE(parsed.ok()) << message;
  if (!parsed.ok() || parsed.value().size() != 2 || !parsed.value()[1].value) return {};
  return *parsed.value()[1].value;
}

using Bytes = std::vector<uint8_t>;

TEST(RegistryText, EveryKindOfValue) {
  EXPECT_EQ(only(R"("A"="b")").data, (Bytes{'b', 0, 0, 0}));
  EXPECT_EQ(only(R"(  "A" = "b"  )").type, static_cast<uint32_t>(REG_SZ));
  EXPECT_EQ(only(R"("q\"\\"="")").name, u"q\"\\");
  EXPECT_EQ(only(R"(@="")").name, u"");
  EXPECT_EQ(only(R"("A"=expand:"%x%")").type, static_cast<uint32_t>(REG_EXPAND_SZ));
  EXPECT_EQ(only(R"("A"=multi:"a" , "b")").data, (Bytes{'a', 0, 0, 0, 'b', 0, 0, 0, 0, 0}));
  EXPECT_EQ(only(R"("A"=multi:)").data, (Bytes{0, 0}));
  EXPECT_EQ(only(R"("A"=dword:1234abcD)").data, (Bytes{0xCD, 0xAB, 0x34, 0x12}));
  EXPECT_EQ(only(R"("A"=qword:1)").data, (Bytes{1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(only("\"A\"=hex:01, ff,\\\n  2").data, (Bytes{1, 0xFF, 2}));
  EXPECT_EQ(only(R"("A"=hex:)").data, Bytes{});
  EXPECT_EQ(only(R"("A"=hex(8):00)").type, static_cast<uint32_t>(REG_RESOURCE_LIST));
  EXPECT_EQ(only("\"\xC3\xBC\xF0\x9F\x98\x80\"=\"\"").name, u"\u00FC\U0001F600");
}

TEST(RegistryText, ErrorsNameTheLine) {
  EXPECT_EQ(refusal("\n\"A\""), "a.reg:3: a value's name is followed by =");
  EXPECT_EQ(refusal("; fine\r\n[x]"), "a.reg:3: a key begins with \\Registry, HKEY_LOCAL_MACHINE or HKEY_USERS");
  EXPECT_EQ(refusal("[\\Registry"), "a.reg:2: a key ends with ]");
  EXPECT_EQ(refusal("what"), "a.reg:2: a line is a [key], a \"name\"=, @= or a ; comment");
  EXPECT_EQ(refusal(R"("A"="b)"), "a.reg:2: a string without its closing quote");
  EXPECT_EQ(refusal(R"("A"="\n")"), "a.reg:2: a backslash stands before \" or \\ only");
  EXPECT_EQ(refusal(R"("A"="b" c)"), "a.reg:2: something follows the value");
  EXPECT_EQ(refusal(R"("A"=dword:123456789)"), "a.reg:2: a number of 1 to 8 hexadecimal digits is expected");
  EXPECT_EQ(refusal(R"("A"=dword:)"), "a.reg:2: a number of 1 to 8 hexadecimal digits is expected");
  EXPECT_EQ(refusal(R"("A"=hex:123)"), "a.reg:2: bytes are one or two hexadecimal digits with commas between");
  EXPECT_EQ(refusal(R"("A"=hex:1\)"), "a.reg:2: a backslash joins the last line to nothing");
  EXPECT_EQ(refusal(R"("A"=hex(x):1)"), "a.reg:2: hex( is followed by the type's number and ):");
  EXPECT_EQ(refusal(R"("A"=word:1)"),
            "a.reg:2: a value is a \"string\", expand:, multi:, dword:, qword:, hex: or hex(n):");
  EXPECT_EQ(refusal("\"\xC0\x80\"=\"\""), "a.reg:2: not UTF-8");
  std::string message;
  EXPECT_FALSE(parse_registry("@=\"\"", "b.reg", &message).ok());
  EXPECT_EQ(message, "b.reg:1: a value before the first key");
}

TEST(RegistryText, LoadsIntoARegistry) {
  Registry registry([] { return uint64_t{1}; });
  std::string message;
  ASSERT_TRUE(load_registry(registry,
                            "\xEF\xBB\xBF; settings\r\n"
                            "[HKEY_LOCAL_MACHINE\\Software\\Drydock\\Deep]\r\n"
                            "\"Depth\"=dword:a\r\n"
                            "[HKEY_USERS\\.Default]\r\n"
                            "[HKEY_LOCAL_MACHINE]\r\n",
                            "a.reg", &message)
                  .ok())
      << message;
  RegistryKey* key = registry.open(nullptr, u"\\Registry\\Machine\\Software\\Drydock\\Deep").take();
  EXPECT_EQ(registry.value(*key, u"depth").value().data, (Bytes{10, 0, 0, 0}));
  EXPECT_FALSE(load_registry(registry, "\n[\\Registry\\\\x]", "b.reg", &message).ok());
  EXPECT_EQ(message, "b.reg:2: an empty name in a registry path");
}

}  // namespace
}  // namespace nt
