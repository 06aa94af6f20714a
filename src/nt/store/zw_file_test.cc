#include "nt/testing/host_folder.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class ZwFileTest : public MachineTest {
 protected:
  ZwFileTest() {
    observer.then = Then::GoOn;
    options.files_folder = folder.path();
  }

  NTSTATUS create(std::u16string path, ACCESS_MASK access, ULONG disposition, ULONG create_options,
                  HANDLE root = nullptr) {
    UNICODE_STRING name{static_cast<USHORT>(path.size() * 2), static_cast<USHORT>(path.size() * 2),
                        reinterpret_cast<PWCH>(path.data())};
    OBJECT_ATTRIBUTES attributes;
    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, root, nullptr);
    return ZwCreateFile(&handle, access, &attributes, &block, nullptr, FILE_ATTRIBUTE_NORMAL, FILE_SHARE_READ,
                        disposition, create_options, nullptr, 0);
  }
  NTSTATUS open(std::u16string path) {
    return create(std::move(path), GENERIC_READ | SYNCHRONIZE, FILE_OPEN, FILE_SYNCHRONOUS_IO_NONALERT);
  }
  NTSTATUS read(void* buffer, ULONG length, PLARGE_INTEGER offset = nullptr) {
    return ZwReadFile(handle, nullptr, nullptr, nullptr, &block, buffer, length, offset, nullptr);
  }
  NTSTATUS write(const char* text, PLARGE_INTEGER offset = nullptr) {
    std::string bytes = text;
    return ZwWriteFile(handle, nullptr, nullptr, nullptr, &block, bytes.data(), static_cast<ULONG>(bytes.size()),
                       offset, nullptr);
  }

  HostFolder folder;
  HANDLE handle = nullptr;
  IO_STATUS_BLOCK block{};
};

TEST_F(ZwFileTest, AFileIsReadAsADriverReadsIt) {
  folder.file("c/avssamp.wav", "RIFF1234WAVEfmt ");
  run([&] {
    ASSERT_EQ(open(u"\\DosDevices\\c:\\AVSSAMP.wav"), STATUS_SUCCESS);
    EXPECT_EQ(block.Information, ULONG_PTR{FILE_OPENED});
    char bytes[12];
    EXPECT_EQ(read(bytes, 12), STATUS_SUCCESS);
    EXPECT_EQ(block.Information, 12u);
    EXPECT_EQ(std::string(bytes, 12), "RIFF1234WAVE");
    LARGE_INTEGER offset;
    offset.QuadPart = 8;
    EXPECT_EQ(read(bytes, 4, &offset), STATUS_SUCCESS);
    EXPECT_EQ(std::string(bytes, 4), "WAVE");
    offset.HighPart = -1;
    offset.LowPart = FILE_USE_FILE_POINTER_POSITION;
    EXPECT_EQ(read(bytes, 12, &offset), STATUS_SUCCESS);
    EXPECT_EQ(block.Information, 4u);
    EXPECT_EQ(read(bytes, 12), STATUS_END_OF_FILE);
    EXPECT_EQ(block.Status, STATUS_END_OF_FILE);
    EXPECT_EQ(ZwClose(handle), STATUS_SUCCESS);
    EXPECT_EQ(read(bytes, 1), STATUS_INVALID_HANDLE);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ZwFileTest, WhatIsNotThereIsToldInTheStatusBlock) {
  run([&] {
    EXPECT_EQ(open(u"\\??\\C:\\none"), STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(block.Status, STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(block.Information, ULONG_PTR{FILE_DOES_NOT_EXIST});
    ASSERT_EQ(create(u"\\??\\C:\\new", GENERIC_WRITE, FILE_CREATE, 0), STATUS_SUCCESS);
    EXPECT_EQ(block.Information, ULONG_PTR{FILE_CREATED});
    ZwClose(handle);
    EXPECT_EQ(create(u"\\??\\C:\\new", GENERIC_WRITE, FILE_CREATE, 0), STATUS_OBJECT_NAME_COLLISION);
    EXPECT_EQ(block.Information, ULONG_PTR{FILE_EXISTS});
  });
}

TEST_F(ZwFileTest, WritingExtendsTheFile) {
  run([&] {
    ASSERT_EQ(
        create(u"\\??\\C:\\log", GENERIC_WRITE | DELETE | SYNCHRONIZE, FILE_OPEN_IF, FILE_SYNCHRONOUS_IO_NONALERT),
        STATUS_SUCCESS);
    EXPECT_EQ(write("one"), STATUS_SUCCESS);
    EXPECT_EQ(block.Information, 3u);
    LARGE_INTEGER end;
    end.HighPart = -1;
    end.LowPart = FILE_WRITE_TO_END_OF_FILE;
    EXPECT_EQ(write("two", &end), STATUS_SUCCESS);
    FILE_END_OF_FILE_INFORMATION shorter;
    shorter.EndOfFile.QuadPart = 5;
    EXPECT_EQ(ZwSetInformationFile(handle, &block, &shorter, sizeof(shorter), FileEndOfFileInformation),
              STATUS_SUCCESS);
    EXPECT_EQ(folder.content("c/log"), "onetw");
    FILE_DISPOSITION_INFORMATION gone = {TRUE};
    EXPECT_EQ(ZwSetInformationFile(handle, &block, &gone, sizeof(gone), FileDispositionInformation), STATUS_SUCCESS);
    EXPECT_EQ(write("more"), STATUS_DELETE_PENDING);
    EXPECT_EQ(ZwClose(handle), STATUS_SUCCESS);
    EXPECT_FALSE(folder.has("c/log"));
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ZwFileTest, AFileAnswersQueriesAboutItself) {
  folder.folder("c/dir");
  folder.file("c/dir/x", "12345");
  run([&] {
    ASSERT_EQ(open(u"\\??\\C:\\dir\\x"), STATUS_SUCCESS);
    FILE_STANDARD_INFORMATION standard;
    EXPECT_EQ(ZwQueryInformationFile(handle, &block, &standard, sizeof(standard), FileStandardInformation),
              STATUS_SUCCESS);
    EXPECT_EQ(block.Information, sizeof(standard));
    EXPECT_EQ(standard.EndOfFile.QuadPart, 5);
    EXPECT_EQ(standard.AllocationSize.QuadPart, 4096);
    EXPECT_FALSE(standard.Directory);
    FILE_NETWORK_OPEN_INFORMATION network;
    EXPECT_EQ(ZwQueryInformationFile(handle, &block, &network, sizeof(network), FileNetworkOpenInformation),
              STATUS_SUCCESS);
    EXPECT_EQ(network.EndOfFile.QuadPart, 5);
    FILE_BASIC_INFORMATION basic;
    EXPECT_EQ(ZwQueryInformationFile(handle, &block, &basic, sizeof(basic), FileBasicInformation), STATUS_SUCCESS);
    EXPECT_EQ(basic.FileAttributes, ULONG{FILE_ATTRIBUTE_NORMAL});
    FILE_POSITION_INFORMATION position;
    position.CurrentByteOffset.QuadPart = 3;
    EXPECT_EQ(ZwSetInformationFile(handle, &block, &position, sizeof(position), FilePositionInformation),
              STATUS_SUCCESS);
    position = {};
    EXPECT_EQ(ZwQueryInformationFile(handle, &block, &position, sizeof(position), FilePositionInformation),
              STATUS_SUCCESS);
    EXPECT_EQ(position.CurrentByteOffset.QuadPart, 3);
    EXPECT_EQ(ZwQueryInformationFile(handle, &block, &standard, 4, FileStandardInformation),
              STATUS_INFO_LENGTH_MISMATCH);
    EXPECT_EQ(ZwQueryInformationFile(handle, &block, &standard, sizeof(standard), FilePipeInformation),
              STATUS_INVALID_INFO_CLASS);
    ZwClose(handle);
  });
}

TEST_F(ZwFileTest, ANameIsGivenAsFarAsItFits) {
  folder.folder("c/dir");
  folder.file("c/dir/x", "");
  run([&] {
    ASSERT_EQ(open(u"\\??\\C:\\DIR\\x"), STATUS_SUCCESS);
    alignas(8) char room[64];
    auto* name = reinterpret_cast<FILE_NAME_INFORMATION*>(room);
    auto spelt = [&](size_t units) { return std::u16string(reinterpret_cast<char16_t*>(name->FileName), units); };
    EXPECT_EQ(ZwQueryInformationFile(handle, &block, room, sizeof(room), FileNameInformation), STATUS_SUCCESS);
    EXPECT_EQ(name->FileNameLength, 12u);
    EXPECT_EQ(spelt(6), u"\\DIR\\x");
    std::memset(room, 0, sizeof(room));
    EXPECT_EQ(ZwQueryInformationFile(handle, &block, room, 9, FileNameInformation), STATUS_BUFFER_OVERFLOW);
    EXPECT_EQ(name->FileNameLength, 12u);
    EXPECT_EQ(spelt(3), std::u16string(u"\\D\0", 3));
    ZwClose(handle);
  });
}

TEST_F(ZwFileTest, PathsBeginAtAnOpenFolder) {
  folder.folder("c/dir");
  folder.file("c/dir/x", "in");
  run([&] {
    ASSERT_EQ(create(u"\\SystemRoot\\", SYNCHRONIZE, FILE_OPEN, FILE_DIRECTORY_FILE), STATUS_OBJECT_NAME_NOT_FOUND);
    ASSERT_EQ(create(u"\\??\\C:\\dir", SYNCHRONIZE, FILE_OPEN, FILE_DIRECTORY_FILE), STATUS_SUCCESS);
    HANDLE root = handle;
    ASSERT_EQ(create(u"x", GENERIC_READ, FILE_OPEN, FILE_SYNCHRONOUS_IO_NONALERT, root), STATUS_SUCCESS);
    char bytes[2];
    EXPECT_EQ(read(bytes, 2), STATUS_SUCCESS);
    ZwClose(handle);
    EXPECT_EQ(create(u"..\\x", GENERIC_READ, FILE_OPEN, 0, root), STATUS_OBJECT_NAME_INVALID);
    ZwClose(root);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ZwFileTest, AHandleThatIsLeftIsALeak) {
  folder.file("c/x", "");
  run([&] {
    Scope scope(ScopeKind::Driver, "driver", &machine().root_scope());
    machine().self().scope = &scope;
    open(u"\\??\\C:\\x");
    machine().self().scope = &machine().root_scope();
    EXPECT_EQ(machine().end_scope(scope), 1u);
  });
  EXPECT_EQ(broken(), Strings{"Leak"});
}

TEST_F(ZwFileTest, OtherHandlesAndApcsAreRefused) {
  folder.file("c/x", "x");
  run([&] {
    char byte;
    handle = NtCurrentThread();
    EXPECT_EQ(read(&byte, 1), STATUS_INVALID_HANDLE);
    ASSERT_EQ(open(u"\\??\\C:\\x"), STATUS_SUCCESS);
    EXPECT_EQ(ZwReadFile(
                  handle, nullptr, [](PVOID, PIO_STATUS_BLOCK, ULONG) {}, nullptr, &block, &byte, 1, nullptr, nullptr),
              STATUS_INVALID_PARAMETER);
    EXPECT_EQ(ZwReadFile(handle, handle, nullptr, nullptr, &block, &byte, 1, nullptr, nullptr),
              STATUS_OBJECT_TYPE_MISMATCH);
    ZwClose(handle);
  });
}

TEST_F(ZwFileTest, SpecialKernelApcsMustComeThrough) {
  run([&] {
    ++machine().self().guarded_regions;
    open(u"\\??\\C:\\x");
    --machine().self().guarded_regions;
    ++machine().self().critical_regions;  // holds back normal ones only
    open(u"\\??\\C:\\x");
    --machine().self().critical_regions;
  });
  EXPECT_EQ(broken(), Strings{"SpecialApcsDisabled"});
}

TEST_F(ZwFileTest, AMachineWithoutAFolderHasNoFiles) {
  options.files_folder.clear();
  run([&] { EXPECT_EQ(open(u"\\??\\C:\\x"), STATUS_OBJECT_NAME_NOT_FOUND); });
}

}  // namespace
}  // namespace nt
