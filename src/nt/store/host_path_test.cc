#include "nt/store/host_path.h"

#include <gtest/gtest.h>

#include "abi/shared/ntstatus.h"
#include "base/rng.h"
#include "base/utf.h"

namespace nt {
namespace {

std::string joined(const base::Result<std::vector<std::u16string>>& path) {
  if (!path.ok()) return "refused";
  std::string out;
  for (const std::u16string& each : path.value()) out += "/" + *base::to_utf8(each);
  return out;
}

TEST(HostPath, KnowsDrivesAndTheSystemRoot) {
  EXPECT_EQ(joined(host_path(u"\\??\\C:\\dir\\x.wav")), "/c/dir/x.wav");
  EXPECT_EQ(joined(host_path(u"\\DosDevices\\d:\\x")), "/d/x");
  EXPECT_EQ(joined(host_path(u"\\dosdevices\\C:\\")), "/c");
  EXPECT_EQ(joined(host_path(u"\\SYSTEMROOT\\Media\\ding.wav")), "/c/windows/Media/ding.wav");
  EXPECT_EQ(joined(host_path(u"\\??\\C:\\dir\\")), "/c/dir");
  EXPECT_EQ(joined(relative_host_path(u"a\\b")), "/a/b");
}

TEST(HostPath, RefusesWhatNamesNoFile) {
  EXPECT_EQ(host_path(u"").status(), STATUS_OBJECT_PATH_SYNTAX_BAD);
  EXPECT_EQ(host_path(u"C:\\x").status(), STATUS_OBJECT_PATH_SYNTAX_BAD);
  EXPECT_EQ(host_path(u"\\Device\\Null").status(), STATUS_OBJECT_PATH_NOT_FOUND);
  EXPECT_EQ(host_path(u"\\??\\Camera").status(), STATUS_OBJECT_NAME_NOT_FOUND);
  for (const char16_t* each : {u"\\??\\C:", u"\\??\\C:x", u"\\??\\C:\\a\\\\b", u"\\??\\C:\\..\\x", u"\\??\\C:\\a\\.",
                               u"\\??\\C:\\a/../b", u"\\??\\C:\\a:stream", u"\\??\\C:\\*", u"\\??\\C:\\a\tb"}) {
    EXPECT_EQ(host_path(each).status(), STATUS_OBJECT_NAME_INVALID) << *base::to_utf8(each);
  }
  EXPECT_EQ(relative_host_path(u"").status(), STATUS_OBJECT_NAME_INVALID);
  EXPECT_EQ(relative_host_path(u"\\a").status(), STATUS_OBJECT_NAME_INVALID);
  EXPECT_EQ(relative_host_path(u"..").status(), STATUS_OBJECT_NAME_INVALID);
}

// Whatever is asked for, no component can lead out of the folder.
TEST(HostPath, NoComponentLeadsUpward) {
  const uint64_t seed = 20240601;
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::Rng rng(seed);
  const std::u16string_view pieces[] = {u"\\", u"..", u".", u"/", u"C:", u"\\??\\", u"x", u"\\SystemRoot\\"};
  for (int i = 0; i < 20000; ++i) {
    std::u16string path = rng.below(2) ? u"\\??\\c:\\" : u"";
    for (uint64_t n = rng.below(8); n-- > 0;) path += pieces[rng.below(std::size(pieces))];
    for (const auto& result : {host_path(path), relative_host_path(path)}) {
      if (!result.ok()) continue;
      for (const std::u16string& component : result.value()) {
        EXPECT_FALSE(component.empty() || component == u"." || component == u"..") << *base::to_utf8(path);
        EXPECT_EQ(component.find(u'/'), component.npos) << *base::to_utf8(path);
      }
    }
  }
}

TEST(HostPath, NamesAreComparedWithoutCase) {
  EXPECT_TRUE(same_name(u"Grüße.WAV", u"GRÜßE.wav"));
  EXPECT_FALSE(same_name(u"a", u"ab"));
}

}  // namespace
}  // namespace nt
