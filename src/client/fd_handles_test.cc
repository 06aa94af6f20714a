#include "client/fd_handles.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "ob/testing/test_object.h"

namespace client {
namespace {

using ob::LookupFault;
using ob::TestDevice;

int to_fd(HANDLE handle) { return static_cast<int>(reinterpret_cast<intptr_t>(handle)); }
HANDLE to_handle(intptr_t value) { return reinterpret_cast<HANDLE>(value); }

class FdHandlesTest : public ::testing::Test {
 protected:
  HANDLE publish() {
    auto handle = handles_.publish(TestDevice::create(ordinals_, log_));
    EXPECT_TRUE(handle.ok());
    return handle.take();
  }
  LookupFault fault(HANDLE handle) {
    auto found = handles_.resolve(handle);
    EXPECT_FALSE(found.ok());
    return found.ok() ? LookupFault::Null : found.error();
  }

  ob::Ordinals ordinals_;
  ob::TestObjectLog log_;
  FdHandles handles_{ordinals_};
};

TEST_F(FdHandlesTest, AHandleIsADescriptorThatIsClosedOnExec) {
  HANDLE handle = publish();
  EXPECT_GE(to_fd(handle), 3);
  EXPECT_EQ(fcntl(to_fd(handle), F_GETFD), FD_CLOEXEC);
  EXPECT_TRUE(handles_.resolve<TestDevice>(handle).ok());
  EXPECT_EQ(handles_.resolve<ob::TestEvent>(handle).error(), LookupFault::WrongType);
}

TEST_F(FdHandlesTest, EveryHandleIsItsOwn) {
  HANDLE one = publish(), two = publish();
  auto first = handles_.resolve<TestDevice>(one).take(), second = handles_.resolve<TestDevice>(two).take();
  EXPECT_NE(first.get(), second.get());
  EXPECT_EQ(handles_.open_count(), 2u);
}

TEST_F(FdHandlesTest, TheObjectGoesWithTheLastCopy) {
  HANDLE handle = publish();
  int copy = dup(to_fd(handle));
  close(to_fd(handle));
  handles_.collect();
  EXPECT_EQ(log_.last_handles, 0u);
  EXPECT_TRUE(handles_.resolve<TestDevice>(to_handle(copy)).ok()) << "a copy is as good";
  close(copy);
  handles_.collect();
  EXPECT_EQ(log_.last_handles, 1u);
  EXPECT_EQ(log_.deaths, 1u);
  EXPECT_EQ(handles_.open_count(), 0u);
}

TEST_F(FdHandlesTest, ACopyInAnotherProcessCounts) {
  HANDLE handle = publish();
  int wait_here[2];
  ASSERT_EQ(pipe(wait_here), 0);
  pid_t child = fork();
  if (child == 0) {
    char byte;
    close(wait_here[1]);
    [[maybe_unused]] ssize_t got = read(wait_here[0], &byte, 1);
    _exit(0);
  }
  close(wait_here[0]);
  close(to_fd(handle));
  handles_.collect();
  EXPECT_EQ(log_.last_handles, 0u) << "the child has one";
  close(wait_here[1]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  handles_.collect();
  EXPECT_EQ(log_.last_handles, 1u);
}

TEST_F(FdHandlesTest, ACopyOnItsWayToAnotherProcessCounts) {
  HANDLE handle = publish();
  int way[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, way), 0);
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  int fd = to_fd(handle);
  memcpy(CMSG_DATA(header), &fd, sizeof(fd));
  ASSERT_EQ(sendmsg(way[0], &message, 0), 1);
  close(fd);
  handles_.collect();
  EXPECT_EQ(log_.last_handles, 0u);
  close(way[0]);
  close(way[1]);
  handles_.collect();
  EXPECT_EQ(log_.last_handles, 1u);
}

TEST_F(FdHandlesTest, ANumberThatIsReusedIsNotTheOldHandle) {
  HANDLE handle = publish();
  int number = to_fd(handle);
  close(number);
  base::ScopedFd other(open("/dev/null", O_RDONLY));
  ASSERT_EQ(other.get(), number);
  EXPECT_EQ(fault(handle), LookupFault::WrongType);
  EXPECT_EQ(log_.last_handles, 1u) << "noticed at the look-up";
}

TEST_F(FdHandlesTest, WhatIsNoHandleSaysWhy) {
  EXPECT_EQ(fault(nullptr), LookupFault::Null);
  EXPECT_EQ(fault(to_handle(-1)), LookupFault::Pseudo);
  EXPECT_EQ(fault(to_handle(int64_t{1} << 40)), LookupFault::Malformed);
  EXPECT_EQ(fault(to_handle(1 << 20)), LookupFault::Unused);
  int foreign[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, foreign), 0);
  EXPECT_EQ(fault(to_handle(foreign[0])), LookupFault::WrongType);
  close(foreign[0]);
  close(foreign[1]);
}

TEST_F(FdHandlesTest, CloseIsWhatTheClientWouldHaveDone) {
  HANDLE handle = publish();
  EXPECT_TRUE(handles_.close(handle).ok());
  EXPECT_EQ(log_.last_handles, 1u);
  EXPECT_EQ(fcntl(to_fd(handle), F_GETFD), -1) << "the descriptor is closed";
  EXPECT_EQ(handles_.close(handle).error(), LookupFault::Unused);
}

TEST_F(FdHandlesTest, TheEndClosesWhatIsLeft) {
  HANDLE handle = publish();
  publish();
  handles_.close_all();
  EXPECT_EQ(log_.last_handles, 2u);
  EXPECT_EQ(fault(handle), LookupFault::WrongType) << "the descriptor is the client's, and stands for nothing";
}

TEST_F(FdHandlesTest, WithoutDescriptorsNothingIsPublishedAndTheObjectIsClosed) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  auto refused = handles_.publish(TestDevice::create(ordinals_, log_));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(refused.status(), STATUS_NO_MEMORY);
  EXPECT_EQ(log_.deaths, 1u);
}

TEST_F(FdHandlesTest, AnEventIsAnEventfdOfTheClient) {
  base::ScopedFd client(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  auto found = handles_.resolve<EventFd>(to_handle(client.get()));
  ASSERT_TRUE(found.ok());
  base::Ref<EventFd> event = found.take();
  event->set();
  event->set();
  uint64_t count = 0;
  EXPECT_EQ(read(client.get(), &count, sizeof(count)), static_cast<ssize_t>(sizeof(count)));
  EXPECT_EQ(count, 2u);
  client.reset();
  event->set();  // it keeps a copy of its own
}

}  // namespace
}  // namespace client
