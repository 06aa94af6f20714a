#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "abi/ks/ks.h"
#include "base/result.h"
#include "ks/stream/mapping.h"
#include "nt/machine/machine.h"

namespace ks {

class Pin;
class Queue;
class StreamIrp;
class StreamIrpCache;
class StreamPointer;

// One frame of a request: its header in machine memory, and the memory it describes. The members after the first group
// are the queue's, under its lock.
struct Frame {
  KSSTREAM_HEADER* header;
  MDL* mdl;       // pages locked; null for a frame without data
  uint8_t* data;  // where the driver sees it
  uint32_t extent;
  uint32_t reserved;

  StreamIrp* request;
  // In the queue, in order of arrival. By hand: a stream pointer steps from a frame to the next without the list, and
  // null is its end; a list of Boost.Intrusive ends in itself.
  Frame* next;
  Frame* prev;
  StreamPointer* clones;  // that stand on it
  Mapping mapping;        // for the hardware, from its first lock on
  uint64_t sequence;      // counts arrivals at the queue
  uint32_t references;    // edges that have not passed it or left it behind, and clones
  uint32_t left_behind;   // edges that AVStream moved off it, because its request is ending
  uint32_t locks;         // pointers that are locked on it
  uint32_t holders;       // pointers through which its bytes may be touched: locked edges, and clones
  uint32_t ahead;         // bytes that were counted as ahead of the leading edge
  bool guarded;           // its bytes must not be touched while `holders` is 0
};

// A streaming request (IOCTL_KS_READ_STREAM, IOCTL_KS_WRITE_STREAM) that was checked: headers copied, pages locked.
// Owned by the queue, transport or requester that has it. Its IRP is the client's or, of a requester, the class's own.
// Deleting one puts its memory back for the next request of the pin it was made for.
class StreamIrp {
 public:
  // Checks what the client sent (STATUS_INVALID_BUFFER_SIZE, STATUS_INVALID_PARAMETER, STATUS_ACCESS_VIOLATION,
  // STATUS_INSUFFICIENT_RESOURCES, STATUS_DATATYPE_MISALIGNMENT, STATUS_INVALID_DEVICE_REQUEST for a direction that is
  // not the pin's); nothing is kept when it is refused.
  static base::Result<std::unique_ptr<StreamIrp>> probe(Pin& pin, IRP& irp);
  static base::Result<std::unique_ptr<StreamIrp>> probe(Queue& queue, IRP& irp);
  // The class's own: one frame of kernel memory, with an IRP that it owns. Null when there is no memory.
  static std::unique_ptr<StreamIrp> make(Pin& pin, void* data, uint32_t extent);
  static std::unique_ptr<StreamIrp> make(Queue& queue, void* data, uint32_t extent);
  static void operator delete(StreamIrp* irp, std::destroying_delete_t);  // runs no destructor
  ~StreamIrp();
  StreamIrp(const StreamIrp&) = delete;
  StreamIrp& operator=(const StreamIrp&) = delete;

  IRP& irp() { return *irp_; }
  bool own() const { return own_; }        // the class's, not a client's
  Queue* queue() const { return queue_; }  // that it is in; null: none
  std::span<Frame> frames() { return {frames_.data(), count_}; }
  NTSTATUS status() const { return status_; }
  void set_status(NTSTATUS status) { status_ = status; }
  // For a requester: as it was before the frame was used (DataUsed 0, flags clear).
  void renew();
  void* tag = nullptr;  // the requester that the frame belongs to

  // Injected by KsPinSubmitFrame(Mdl): when it has gone round, complete() gives it back to the driver.
  struct Injection {
    Queue* queue = nullptr;  // of the pin that it was submitted on; null: not injected
    void* data = nullptr;
    uint32_t bytes = 0;
    MDL* mdl = nullptr;  // the driver's
    void* context = nullptr;
  };
  bool injected() const { return injection_.queue != nullptr; }
  void set_injection(const Injection& injection) { injection_ = injection; }
  const Injection& injection() const { return injection_; }

  // A client's: the headers go back to the client's memory, pages are unlocked, the IRP is completed. An injected one
  // is returned to the driver. Deletes it.
  static void complete(std::unique_ptr<StreamIrp> irp);

  // How many guard bytes behind the header of a frame were written. They are filled again afterwards.
  uint32_t header_overrun(const Frame& frame) const;
  uint32_t header_bytes() const { return header_bytes_; }

  static constexpr uint32_t kHeaderGuard = 64;   // bytes behind each header that must not be written
  static constexpr uint32_t kMostHeader = 4096;  // bytes of one header, with what follows it: ours
  static constexpr uint32_t kMostFrames = 4096;  // of one request: ours

 private:
  friend class Queue;
  friend class StreamIrpCache;
  friend struct QueueImpl;
  struct Probing;

  explicit StreamIrp(std::shared_ptr<StreamIrpCache> cache);
  base::Result<> set_headers(uint32_t count, uint32_t header_bytes);
  void free_headers();
  base::Result<> lock_pages(Frame& frame, LOCK_OPERATION access);
  base::Result<> take_headers(const Probing& probing);
  base::Result<> check_header(const KSSTREAM_HEADER& header) const;
  base::Result<> lock_frames();
  void publish();  // puts the MDLs and the header into the IRP, where drivers look for them
  void release();  // undoes everything that was done to the IRP and its memory
  base::Result<> write_back();
  uint64_t information();

  // One MDL's memory, kept for the next frame.
  struct MdlMemory {
    MDL* mdl = nullptr;
    uint32_t pages = 0;
  };

  std::shared_ptr<StreamIrpCache> cache_;  // null in a spare one
  nt::Machine& machine_;
  IRP* irp_ = nullptr;
  bool own_ = false;
  bool write_ = false;  // data comes with it
  NTSTATUS status_ = STATUS_SUCCESS;
  std::vector<Frame> frames_;
  std::vector<MdlMemory> mdls_;
  uint32_t count_ = 0;          // frames in use
  uint32_t header_bytes_ = 0;   // of one header
  uint32_t armed_ = 0;          // headers whose guards are written
  uint8_t* headers_ = nullptr;  // in machine memory: header, guard, header, guard, …
  size_t headers_room_ = 0;
  void* client_headers_ = nullptr;
  Injection injection_;

  // --- The queue's, under its lock ---
  enum class Place : uint8_t { Nowhere, Queued, Finished };
  Queue* queue_ = nullptr;
  StreamIrp* next_ = nullptr;  // in the queue, on its way out of it, or among the spare ones
  StreamIrp* prev_ = nullptr;
  uint32_t left_ = 0;   // frames that are not done
  uint32_t locks_ = 0;  // of all frames
  Place place_ = Place::Nowhere;
  bool ending_ = false;  // it leaves with ending_status_ as soon as no pointer is locked on it
  NTSTATUS ending_status_ = STATUS_SUCCESS;
  bool cancel_came_ = false;      // the cancel routine has run
  bool cancel_expected_ = false;  // the cancel routine is about to run, and takes the request out
};

// Ended requests of one pin, whose memory the next ones use. Kept alive by every request that was made with it. Any
// thread at DISPATCH_LEVEL or below.
class StreamIrpCache {
 public:
  explicit StreamIrpCache(nt::Machine& its_machine) : machine(its_machine) {}
  ~StreamIrpCache();
  StreamIrpCache(const StreamIrpCache&) = delete;
  StreamIrpCache& operator=(const StreamIrpCache&) = delete;

  static StreamIrp* take(const std::shared_ptr<StreamIrpCache>& cache);
  void put(StreamIrp* irp);

  nt::Machine& machine;

 private:
  base::Mutex<base::LockRank::Adapter> lock_;
  StreamIrp* spare_ GUARDED_BY(lock_) = nullptr;
};

}  // namespace ks
