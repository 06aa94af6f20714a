#include "client/fd_handles.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <climits>
#include <cstring>
#include <optional>

namespace client {
namespace {

using ob::LookupFault;

// Windows has no handle 0: a client that closed its standard input must not get descriptor 0 as a handle.
constexpr int kLowestFd = 3;

HANDLE to_handle(int fd) { return reinterpret_cast<HANDLE>(static_cast<uintptr_t>(fd)); }

// The descriptor of a handle; a fault for what cannot be one.
base::Expected<int, LookupFault> to_fd(HANDLE handle) {
  auto value = reinterpret_cast<intptr_t>(handle);
  if (value == 0) return LookupFault::Null;
  if (value < 0) return LookupFault::Pseudo;
  if (value > INT_MAX) return LookupFault::Malformed;
  return static_cast<int>(value);
}

std::optional<struct stat> status_of(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) return std::nullopt;
  return status;
}

bool is_eventfd(int fd) {
  constexpr std::string_view kEventFd = "anon_inode:[eventfd]";
  char target[64];
  ssize_t length = readlink(fmt::format("/proc/self/fd/{}", fd).c_str(), target, sizeof(target));
  return length >= 0 && std::string_view(target, static_cast<size_t>(length)) == kEventFd;
}

base::Failure no_descriptor(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_NO_MEMORY, "the process can have no more file descriptors", where);
}

}  // namespace

FdHandles::FdHandles(ob::Ordinals& ordinals) : ordinals_(ordinals), hang_ups_(epoll_create1(EPOLL_CLOEXEC)) {}

base::Result<HANDLE> FdHandles::publish(ob::UnpublishedObject<ob::Object> object) {
  collect();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return no_descriptor();
  base::ScopedFd kernel_end(ends[0]), client_end(ends[1]);
  if (client_end.get() < kLowestFd) client_end.reset(fcntl(client_end.get(), F_DUPFD_CLOEXEC, kLowestFd));
  if (!client_end) return no_descriptor();
  std::optional<struct stat> status = status_of(client_end.get());
  if (!status) return no_descriptor();

  epoll_event watched = {};
  watched.events = EPOLLHUP;
  watched.data.u64 = status->st_ino;
  if (epoll_ctl(hang_ups_.get(), EPOLL_CTL_ADD, kernel_end.get(), &watched) != 0) return no_descriptor();
  base::Guard guard(lock_);
  entries_.emplace(status->st_ino, Entry{std::move(kernel_end), std::move(object)});
  open_.store(entries_.size(), std::memory_order_release);
  return to_handle(client_end.release());
}

FdHandles::Found<ob::Object> FdHandles::resolve(HANDLE handle) {
  collect();
  auto fd = to_fd(handle);
  if (!fd.ok()) return fd.error();
  std::optional<struct stat> status = status_of(fd.value());
  if (!status) return LookupFault::Unused;
  return S_ISSOCK(status->st_mode) ? find(status->st_ino) : event_of(fd.value());
}

FdHandles::Found<ob::Object> FdHandles::find(SocketId id) {
  base::Guard guard(lock_);
  auto entry = entries_.find(id);
  if (entry == entries_.end()) return LookupFault::WrongType;
  return entry->second.object.ref();
}

FdHandles::Found<ob::Object> FdHandles::event_of(int fd) {
  if (!is_eventfd(fd)) return LookupFault::WrongType;
  base::ScopedFd copy(fcntl(fd, F_DUPFD_CLOEXEC, kLowestFd));
  if (!copy) return LookupFault::Unused;
  auto event = ob::UnpublishedObject<EventFd>::adopt(new EventFd(std::move(copy), ordinals_));
  return base::Ref<ob::Object>(event.ref());
}

FdHandles::Found<ob::Object> FdHandles::close(HANDLE handle) {
  auto fd = to_fd(handle);
  if (!fd.ok()) return fd.error();
  std::optional<struct stat> status = status_of(fd.value());
  if (!status) return LookupFault::Unused;
  if (!S_ISSOCK(status->st_mode)) return LookupFault::WrongType;
  auto found = find(status->st_ino);
  if (!found.ok()) return found;
  ::close(fd.value());
  collect();  // other copies keep it open
  return found;
}

FdHandles::Entries::node_type FdHandles::take(SocketId id) {
  base::Guard guard(lock_);
  auto node = entries_.extract(id);
  open_.store(entries_.size(), std::memory_order_release);
  return node;
}

// An object's last handle is closed without the lock: its end may call this class again.
void FdHandles::collect() {
  while (open_count() != 0) {
    epoll_event gone[16];
    int count = epoll_wait(hang_ups_.get(), gone, std::size(gone), 0);
    if (count <= 0) return;
    for (int i = 0; i < count; ++i) take(gone[i].data.u64);
  }
}

void FdHandles::close_all() {
  Entries all;
  {
    base::Guard guard(lock_);
    all.swap(entries_);
    open_.store(0, std::memory_order_release);
  }
}

void EventFd::set() {
  uint64_t one = 1;
  // The write fails only when the counter is full, and then every waiter has been woken already.
  [[maybe_unused]] ssize_t written = write(fd_.get(), &one, sizeof(one));
}

}  // namespace client
