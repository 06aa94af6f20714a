#include "nt/store/host_files.h"

#include <sys/stat.h>

#include "abi/shared/ntstatus.h"
#include "nt/testing/host_folder.h"

namespace nt {
namespace {

constexpr ACCESS_MASK kRead = FILE_GENERIC_READ, kWrite = FILE_GENERIC_READ | FILE_GENERIC_WRITE;
constexpr ULONG kSync = FILE_SYNCHRONOUS_IO_NONALERT, kShareAll = FILE_SHARE_VALID_FLAGS;
constexpr FilePlace kHere{FilePlace::Kind::Position, 0};

class HostFilesTest : public ::testing::Test {
 protected:
  base::Result<HostFiles::Opened> open(std::u16string_view path, ACCESS_MASK access = kRead, ULONG share = kShareAll,
                                       ULONG disposition = FILE_OPEN, ULONG options = kSync) {
    return files.create({nullptr, path, access, share, disposition, options});
  }
  static std::string all_of(HostFile& file) {
    char bytes[64];
    auto read = file.read(bytes, sizeof(bytes), {FilePlace::Kind::Offset, 0});
    return read.ok() ? std::string(bytes, read.value()) : std::string("?");
  }

  HostFolder folder;
  HostFiles files{folder.path()};
};

TEST_F(HostFilesTest, NamesAreFoundWithoutCase) {
  folder.folder("c/Dir");
  folder.file("c/Dir/Sound.WAV", "one");
  folder.file("c/Dir/sound.wav", "two");
  folder.file("c/Dir/b", "lower");
  folder.file("c/Dir/B", "upper");
  EXPECT_EQ(all_of(*open(u"\\??\\C:\\DIR\\sound.wav").take().file), "two");
  EXPECT_EQ(all_of(*open(u"\\??\\C:\\dir\\Sound.WAV").take().file), "one");
  EXPECT_EQ(all_of(*open(u"\\??\\C:\\dir\\SOUND.wav").take().file), "one");  // the first in the order of bytes
  EXPECT_EQ(open(u"\\??\\C:\\dir\\sound").status(), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(open(u"\\??\\C:\\other\\sound.wav").status(), STATUS_OBJECT_PATH_NOT_FOUND);
  EXPECT_EQ(open(u"\\??\\C:\\dir\\b\\x").status(), STATUS_OBJECT_PATH_NOT_FOUND);
  EXPECT_EQ(open(u"\\??\\D:\\x").status(), STATUS_OBJECT_PATH_NOT_FOUND);
}

TEST_F(HostFilesTest, NothingOutsideOfTheFolderCanBeReached) {
  HostFolder outside;
  outside.file("secret", "s");
  folder.link("c/link", outside.path() + "/secret");
  folder.link("c/folder", outside.path());
  folder.link("d", outside.path());
  EXPECT_EQ(open(u"\\??\\C:\\link").status(), STATUS_ACCESS_DENIED);
  EXPECT_EQ(open(u"\\??\\C:\\folder\\secret").status(), STATUS_ACCESS_DENIED);
  EXPECT_EQ(open(u"\\??\\C:\\folder").status(), STATUS_ACCESS_DENIED);
  EXPECT_EQ(open(u"\\??\\D:\\secret").status(), STATUS_ACCESS_DENIED);
  EXPECT_EQ(open(u"\\??\\C:\\..\\c\\link").status(), STATUS_OBJECT_NAME_INVALID);
  EXPECT_EQ(open(u"\\??\\C:\\link", kWrite, kShareAll, FILE_SUPERSEDE).status(), STATUS_ACCESS_DENIED);
  EXPECT_EQ(outside.content("secret"), "s");
}

TEST_F(HostFilesTest, PipesAndDevicesAreNoFiles) {
  ASSERT_EQ(mkfifo((folder.path() + "/c/pipe").c_str(), 0600), 0);
  EXPECT_EQ(open(u"\\??\\C:\\pipe").status(), STATUS_ACCESS_DENIED);
}

TEST_F(HostFilesTest, WithoutAFolderThereAreNoFiles) {
  HostFiles none("");
  EXPECT_EQ(none.create({nullptr, u"\\??\\C:\\x", kRead, 0, FILE_OPEN, 0}).status(), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(none.create({nullptr, u"\\??\\C:\\x\\y", kRead, 0, FILE_OPEN, 0}).status(), STATUS_OBJECT_PATH_NOT_FOUND);
}

TEST_F(HostFilesTest, TheDispositionDecides) {
  struct Case {
    ULONG disposition;
    NTSTATUS if_missing;
    ULONG action_if_missing;
    NTSTATUS if_there;
    ULONG action_if_there;
    const char* content;
  };
  const Case cases[] = {
      {FILE_SUPERSEDE, STATUS_SUCCESS, FILE_CREATED, STATUS_SUCCESS, FILE_SUPERSEDED, ""},
      {FILE_OPEN, STATUS_OBJECT_NAME_NOT_FOUND, 0, STATUS_SUCCESS, FILE_OPENED, "old"},
      {FILE_CREATE, STATUS_SUCCESS, FILE_CREATED, STATUS_OBJECT_NAME_COLLISION, 0, "old"},
      {FILE_OPEN_IF, STATUS_SUCCESS, FILE_CREATED, STATUS_SUCCESS, FILE_OPENED, "old"},
      {FILE_OVERWRITE, STATUS_OBJECT_NAME_NOT_FOUND, 0, STATUS_SUCCESS, FILE_OVERWRITTEN, ""},
      {FILE_OVERWRITE_IF, STATUS_SUCCESS, FILE_CREATED, STATUS_SUCCESS, FILE_OVERWRITTEN, ""},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.disposition);
    std::string name = "new" + std::to_string(each.disposition);
    std::u16string path = u"\\??\\C:\\" + std::u16string(name.begin(), name.end());
    {
      auto missing = open(path, kWrite, kShareAll, each.disposition);
      EXPECT_EQ(missing.status(), each.if_missing);
      if (missing.ok()) {
        EXPECT_EQ(missing.value().action, each.action_if_missing);
      }
      EXPECT_EQ(folder.has("c/" + name), each.if_missing == STATUS_SUCCESS);
    }
    folder.file("c/" + name, "old");
    auto there = open(path, kWrite, kShareAll, each.disposition);
    EXPECT_EQ(there.status(), each.if_there);
    if (there.ok()) {
      EXPECT_EQ(there.value().action, each.action_if_there);
    }
    EXPECT_EQ(folder.content("c/" + name), each.content);
  }
}

TEST_F(HostFilesTest, OptionsMustFit) {
  folder.file("c/x", "x");
  auto status = [&](ACCESS_MASK access, ULONG disposition, ULONG options) {
    return open(u"\\??\\C:\\x", access, kShareAll, disposition, options).status();
  };
  EXPECT_EQ(status(FILE_READ_DATA, FILE_OPEN, kSync), STATUS_INVALID_PARAMETER);  // no SYNCHRONIZE
  EXPECT_EQ(status(kRead, FILE_OPEN, kSync | FILE_SYNCHRONOUS_IO_ALERT), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(kRead, FILE_OPEN, FILE_DELETE_ON_CLOSE), STATUS_INVALID_PARAMETER);  // no DELETE
  EXPECT_EQ(status(kRead, FILE_OPEN, FILE_DIRECTORY_FILE | FILE_NON_DIRECTORY_FILE), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(kWrite, FILE_SUPERSEDE, FILE_DIRECTORY_FILE), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(kWrite, FILE_OPEN, FILE_NO_INTERMEDIATE_BUFFERING), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(kRead, 6, 0), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(open(u"\\??\\C:\\x", kRead, 8).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(status(kRead, FILE_OPEN, FILE_DIRECTORY_FILE), STATUS_NOT_A_DIRECTORY);
  EXPECT_EQ(status(kRead, FILE_OPEN, FILE_OPEN_BY_FILE_ID), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(open(u"\\??\\C:\\", kRead, kShareAll, FILE_OPEN, FILE_NON_DIRECTORY_FILE).status(),
            STATUS_FILE_IS_A_DIRECTORY);
}

TEST_F(HostFilesTest, FoldersAreRootsForOtherPaths) {
  auto made = open(u"\\??\\C:\\dir", SYNCHRONIZE, kShareAll, FILE_CREATE, FILE_DIRECTORY_FILE).take();
  EXPECT_EQ(made.action, ULONG{FILE_CREATED});
  EXPECT_TRUE(made.file->folder());
  EXPECT_EQ(made.file->name(), u"\\dir");
  char byte;
  EXPECT_EQ(made.file->read(&byte, 1, {FilePlace::Kind::Offset, 0}).status(), STATUS_INVALID_DEVICE_REQUEST);
  auto below = files.create({made.file.get(), u"x", kWrite, kShareAll, FILE_CREATE, 0}).take();
  EXPECT_EQ(below.file->name(), u"\\dir\\x");
  EXPECT_TRUE(folder.has("c/dir/x"));
  EXPECT_EQ(files.create({made.file.get(), u"..\\x", kRead, 0, FILE_OPEN, 0}).status(), STATUS_OBJECT_NAME_INVALID);
  EXPECT_EQ(files.create({below.file.get(), u"y", kRead, 0, FILE_OPEN, 0}).status(), STATUS_OBJECT_PATH_NOT_FOUND);
}

TEST_F(HostFilesTest, AnOpenWithoutSharingExcludesOthers) {
  folder.file("c/x", "old");
  {
    auto alone = open(u"\\??\\C:\\x", kRead, 0).take();
    EXPECT_EQ(open(u"\\??\\C:\\X", kRead).status(), STATUS_SHARING_VIOLATION);
    EXPECT_EQ(open(u"\\??\\C:\\x", kWrite, kShareAll, FILE_SUPERSEDE).status(), STATUS_SHARING_VIOLATION);
    EXPECT_EQ(open(u"\\??\\C:\\x", kRead | DELETE, kShareAll, FILE_OPEN, FILE_DELETE_ON_CLOSE).status(),
              STATUS_SHARING_VIOLATION);
    EXPECT_TRUE(open(u"\\??\\C:\\x", FILE_READ_ATTRIBUTES, kShareAll, FILE_OPEN, 0).ok());
  }
  EXPECT_EQ(folder.content("c/x"), "old");  // the refused ones did nothing
  auto reader = open(u"\\??\\C:\\x", kRead, FILE_SHARE_READ).take();
  EXPECT_TRUE(open(u"\\??\\C:\\x", kRead, FILE_SHARE_READ).ok());
  EXPECT_EQ(open(u"\\??\\C:\\x", kWrite).status(), STATUS_SHARING_VIOLATION);
  EXPECT_EQ(open(u"\\??\\C:\\x", kRead, FILE_SHARE_WRITE).status(), STATUS_SHARING_VIOLATION);
}

TEST_F(HostFilesTest, ThePositionFollowsSynchronousOperations) {
  auto file = open(u"\\??\\C:\\x", kWrite, 0, FILE_CREATE).take().file;
  EXPECT_EQ(file->write("hello world", 11, kHere).take(), 11u);
  EXPECT_EQ(file->position().take(), 11);
  char bytes[16] = {};
  EXPECT_EQ(file->read(bytes, 5, kHere).status(), STATUS_END_OF_FILE);
  EXPECT_EQ(file->read(bytes, 5, {FilePlace::Kind::Offset, 6}).take(), 5u);
  EXPECT_EQ(std::string(bytes, 5), "world");
  EXPECT_EQ(file->position().take(), 11);
  ASSERT_TRUE(file->set_position(9).ok());
  EXPECT_EQ(file->read(bytes, 5, kHere).take(), 2u);  // as many as there are
  EXPECT_EQ(file->write("!", 1, {FilePlace::Kind::End, 0}).take(), 1u);
  ASSERT_TRUE(file->set_end_of_file(14).ok());
  EXPECT_EQ(file->end_of_file().take(), 14);
  EXPECT_EQ(folder.content("c/x"), std::string("hello world!\0\0", 14));
  EXPECT_EQ(file->set_position(-1).status(), STATUS_INVALID_PARAMETER);
}

TEST_F(HostFilesTest, OtherOpeningsHaveNone) {
  folder.file("c/x", "abc");
  auto file = open(u"\\??\\C:\\x", kRead, kShareAll, FILE_OPEN, 0).take().file;
  char byte;
  EXPECT_EQ(file->read(&byte, 1, kHere).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(file->position().status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(file->read(&byte, 1, {FilePlace::Kind::Offset, 2}).take(), 1u);
  EXPECT_EQ(file->read(&byte, 1, {FilePlace::Kind::Offset, -7}).status(), STATUS_INVALID_PARAMETER);
}

TEST_F(HostFilesTest, AccessIsKeptTo) {
  folder.file("c/x", "abc");
  auto reader = open(u"\\??\\C:\\x").take().file;
  EXPECT_EQ(reader->write("y", 1, kHere).status(), STATUS_ACCESS_DENIED);
  EXPECT_EQ(reader->set_end_of_file(0).status(), STATUS_ACCESS_DENIED);
  EXPECT_EQ(reader->set_delete(true).status(), STATUS_ACCESS_DENIED);
  auto appender = open(u"\\??\\C:\\x", FILE_APPEND_DATA | SYNCHRONIZE).take().file;
  EXPECT_EQ(appender->write("d", 1, {FilePlace::Kind::Offset, 0}).take(), 1u);  // the offset is ignored
  char byte;
  EXPECT_EQ(appender->read(&byte, 1, kHere).status(), STATUS_ACCESS_DENIED);
  EXPECT_EQ(folder.content("c/x"), "abcd");
}

TEST_F(HostFilesTest, AFileMarkedForDeletionGoesWithItsHandle) {
  folder.file("c/x", "abc");
  {
    auto file = open(u"\\??\\C:\\x", kRead | DELETE).take().file;
    ASSERT_TRUE(file->set_delete(true).ok());
    char byte;
    EXPECT_EQ(file->read(&byte, 1, kHere).status(), STATUS_DELETE_PENDING);
    ASSERT_TRUE(file->set_delete(false).ok());
    EXPECT_TRUE(file->read(&byte, 1, kHere).ok());
  }
  ASSERT_TRUE(folder.has("c/x"));
  { ASSERT_TRUE(open(u"\\??\\C:\\x", kRead | DELETE, kShareAll, FILE_OPEN, kSync | FILE_DELETE_ON_CLOSE).ok()); }
  EXPECT_FALSE(folder.has("c/x"));
  folder.folder("c/full");
  folder.file("c/full/x", "");
  auto full = open(u"\\??\\C:\\full", DELETE | SYNCHRONIZE, kShareAll, FILE_OPEN, FILE_DIRECTORY_FILE).take().file;
  EXPECT_EQ(full->set_delete(true).status(), STATUS_DIRECTORY_NOT_EMPTY);
}

}  // namespace
}  // namespace nt
