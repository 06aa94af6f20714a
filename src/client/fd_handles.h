#pragma once

#include <sys/types.h>

#include <atomic>
#include <map>
#include <vector>

#include "base/mutex.h"
#include "base/scoped.h"
#include "dxgk/sync/client_event.h"
#include "kmt/client/client_handles.h"

namespace client {

// The NT handles of a Linux process: file descriptors, as with Microsoft's driver for WSL (observed).
//
// What the kernel gives out is one end of a pair of connected sockets whose other end it keeps. The client passes its
// end on as it likes (dup, fork, SCM_RIGHTS) and closes it as it likes, without telling us; but when the last copy in
// any process has gone, our end hangs up. collect() looks for that, before anything that could tell the difference. Two
// descriptors a handle, both closed on exec.
//
// What the client gives us to signal is an eventfd: resolve() makes an EventFd of it.
//
// Owned by the kernel of the process; any thread of its machine.
class FdHandles final : public kmt::ClientHandles {
 public:
  explicit FdHandles(ob::Ordinals& ordinals);

  using ClientHandles::resolve;
  base::Result<HANDLE> publish(ob::UnpublishedObject<ob::Object> object) override;
  Found<ob::Object> resolve(HANDLE handle) override;
  Found<ob::Object> close(HANDLE handle) override;

  // Closes the handles whose last copy has gone. Without any handle it costs one load.
  void collect();
  // The process ends.
  void close_all();
  size_t open_count() const { return open_.load(std::memory_order_acquire); }

 private:
  using SocketId = ino_t;  // of the client's end: the same for all its copies, and for nothing else while they live

  struct Entry {
    base::ScopedFd kernel_end;
    ob::UnpublishedObject<ob::Object> object;
  };
  using Entries = std::map<SocketId, Entry>;

  Found<ob::Object> find(SocketId id);
  Entries::node_type take(SocketId id);
  Found<ob::Object> event_of(int fd);

  ob::Ordinals& ordinals_;
  base::ScopedFd hang_ups_;  // an epoll of all kernel ends
  std::atomic<size_t> open_{0};
  base::Mutex<base::LockRank::Table> lock_;
  Entries entries_ GUARDED_BY(lock_);
};

// An event of the client, kept open by a descriptor of our own. Any thread.
class EventFd final : public dxgk::ClientEvent {
 public:
  EventFd(base::ScopedFd fd, ob::Ordinals& ordinals) : ClientEvent(ordinals), fd_(std::move(fd)) {}

  // Adds one to the client's counter, which wakes the threads that wait for it.
  void set() override;

 private:
  const base::ScopedFd fd_;
};

}  // namespace client
