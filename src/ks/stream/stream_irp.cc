#include "ks/stream/stream_irp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/sanitizer.h"
#include "ks/pin/pin.h"
#include "ks/stream/queue.h"
#include "nt/fault/fault.h"
#include "nt/io/irps.h"
#include "nt/mm/careful_copy.h"
#include "nt/mm/mdls.h"
#include "nt/mm/pool.h"

// The memory of one request:
//
//   |mark|-- header 0 --|guard|-- header 1 --|guard|…   machine memory; headers_ is after the mark. Headers are exactly
//                                                       as long as the client's: that one is not extended is seen
//   mdls_: one MDL per frame, over the client's data    pages locked until the request is over
//
// All of it stays with the StreamIrp when that goes back to its pin's cache.
namespace ks {
namespace {

constexpr uint8_t kGuardFill = 0xFB;

// Lies before the headers and says what the block is, for the explanation of an access that a sanitizer caught.
struct alignas(16) HeaderMark {
  uint64_t mark;
  uint64_t header_bytes;
};
constexpr uint64_t kHeaderMark = 0x5244'4841'4552'534B;
NO_SANITIZE HeaderMark mark_at(uintptr_t address) { return *reinterpret_cast<const HeaderMark*>(address); }

uint8_t* allocate(nt::Machine& machine, size_t bytes) {
  return static_cast<uint8_t*>(machine.pool().allocate(bytes, 0, nt::PoolKind::Internal, nt::PoolFill::Zero));
}

size_t stride_of(uint32_t header_bytes) { return header_bytes + StreamIrp::kHeaderGuard; }

void arm_guard(uint8_t* guard) {
  base::unpoison(guard, StreamIrp::kHeaderGuard);
  std::memset(guard, kGuardFill, StreamIrp::kHeaderGuard);
  base::poison(guard, StreamIrp::kHeaderGuard);
}

// How many bytes of a guard were written, counted from its beginning to the last one.
NO_SANITIZE uint32_t damage_of(const uint8_t* guard) {
  uint32_t end = StreamIrp::kHeaderGuard;
  while (end > 0 && guard[end - 1] == kGuardFill) --end;
  return end;
}

std::optional<nt::FaultStory> explain(nt::Machine& machine, uintptr_t address) {
  auto block = machine.pool().find(address);
  if (!block || block->freed || block->kind != nt::PoolKind::Internal || block->bytes < sizeof(HeaderMark) ||
      address < block->address + sizeof(HeaderMark)) {
    return std::nullopt;
  }
  HeaderMark mark = mark_at(block->address);
  if (mark.mark != kHeaderMark) return std::nullopt;
  size_t at = (address - block->address - sizeof(HeaderMark)) % stride_of(static_cast<uint32_t>(mark.header_bytes));
  if (at < mark.header_bytes) {
    return nt::FaultStory{nt::Violation::KsFrameTouchedUnlocked,
                          "the stream header of a frame that has left is touched"};
  }
  return nt::FaultStory{nt::Violation::KsHeaderOverrun,
                        fmt::format("byte {} of a stream header is touched; its Size is {}", at, mark.header_bytes)};
}

void add_explainer_once() {
  static const bool added = (nt::add_fault_explainer(&explain), true);
  (void)added;
}

}  // namespace

// --- Spare ones ---

StreamIrpCache::~StreamIrpCache() {
  while (StreamIrp* irp = spare_) {
    spare_ = irp->next_;
    irp->~StreamIrp();
    ::operator delete(irp);
  }
}

StreamIrp* StreamIrpCache::take(const std::shared_ptr<StreamIrpCache>& cache) {
  StreamIrp* irp;
  {
    base::Guard guard(cache->lock_);
    irp = cache->spare_;
    if (irp) cache->spare_ = irp->next_;
  }
  if (!irp) return new StreamIrp(cache);
  irp->cache_ = cache;
  return irp;
}

void StreamIrpCache::put(StreamIrp* irp) {
  base::Guard guard(lock_);
  irp->next_ = spare_;
  spare_ = irp;
}

StreamIrp::StreamIrp(std::shared_ptr<StreamIrpCache> cache) : cache_(std::move(cache)), machine_(cache_->machine) {
  add_explainer_once();
}

StreamIrp::~StreamIrp() {
  for (MdlMemory& memory : mdls_) {
    if (memory.mdl) machine_.pool().free(memory.mdl, 0);
  }
  if (!headers_) return;
  free_headers();
}

void StreamIrp::free_headers() {
  base::unpoison(headers_, headers_room_);
  machine_.pool().free(headers_ - sizeof(HeaderMark), 0);
}

void StreamIrp::operator delete(StreamIrp* irp, std::destroying_delete_t) {
  irp->release();
  std::shared_ptr<StreamIrpCache> cache = std::move(irp->cache_);
  cache->put(irp);
}

// --- Making ---

base::Result<> StreamIrp::set_headers(uint32_t count, uint32_t header_bytes) {
  size_t room = count * stride_of(header_bytes);
  if (room > headers_room_) {
    if (headers_) free_headers();
    uint8_t* block = allocate(machine_, sizeof(HeaderMark) + room);
    headers_ = block ? block + sizeof(HeaderMark) : nullptr;
    headers_room_ = block ? room : 0;
    header_bytes_ = 0;
    if (!block) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "there is no memory for the stream headers");
  }
  if (header_bytes != header_bytes_ || count > armed_) {
    base::unpoison(headers_, headers_room_);
    for (uint32_t i = 0; i < count; ++i) arm_guard(headers_ + i * stride_of(header_bytes) + header_bytes);
    *reinterpret_cast<HeaderMark*>(headers_ - sizeof(HeaderMark)) = {kHeaderMark, header_bytes};
    header_bytes_ = header_bytes;
    armed_ = count;
  }
  if (frames_.size() < count) frames_.resize(count);
  if (mdls_.size() < count) mdls_.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    uint8_t* header = headers_ + i * stride_of(header_bytes);
    base::unpoison(header, header_bytes);
    frames_[i].header = reinterpret_cast<KSSTREAM_HEADER*>(header);
    frames_[i].request = this;
    frames_[i].mdl = nullptr;
  }
  count_ = count;
  return {};
}

base::Result<> StreamIrp::lock_pages(Frame& frame, LOCK_OPERATION access) {
  MdlMemory& memory = mdls_[static_cast<size_t>(&frame - frames_.data())];
  auto pages = static_cast<uint32_t>(ADDRESS_AND_SIZE_TO_SPAN_PAGES(frame.data, frame.extent));
  if (pages > memory.pages) {
    if (memory.mdl) machine_.pool().free(memory.mdl, 0);
    memory.mdl = reinterpret_cast<MDL*>(allocate(machine_, sizeof(MDL) + pages * sizeof(PFN_NUMBER)));
    memory.pages = memory.mdl ? pages : 0;
    if (!memory.mdl) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "there is no memory for the MDL of a frame");
  }
  MmInitializeMdl(memory.mdl, frame.data, frame.extent);
  machine_.mdls().lock(*memory.mdl, access);
  frame.mdl = memory.mdl;
  return {};
}

std::unique_ptr<StreamIrp> StreamIrp::make(Pin& pin, void* data, uint32_t extent) {
  return make(pin.queue(), data, extent);
}

std::unique_ptr<StreamIrp> StreamIrp::make(Queue& queue, void* data, uint32_t extent) {
  nt::Machine& machine = queue.site().machine;
  const KSPIN& pin = queue.site().body;
  std::unique_ptr<StreamIrp> made(StreamIrpCache::take(queue.cache()));
  uint32_t header_bytes = std::clamp<uint32_t>(pin.StreamHeaderSize, sizeof(KSSTREAM_HEADER), kMostHeader);
  if (!made->set_headers(1, (header_bytes + 7) & ~7u).ok()) return nullptr;
  made->own_ = true;
  made->write_ = pin.DataFlow == KSPIN_DATAFLOW_IN;
  made->irp_ = machine.irps().allocate(1);
  if (!made->irp_) return nullptr;
  IoSetNextIrpStackLocation(made->irp_);
  IO_STACK_LOCATION& location = *IoGetCurrentIrpStackLocation(made->irp_);
  location.MajorFunction = IRP_MJ_DEVICE_CONTROL;
  location.Parameters.DeviceIoControl.IoControlCode = made->write_ ? IOCTL_KS_WRITE_STREAM : IOCTL_KS_READ_STREAM;
  Frame& frame = made->frames_[0];
  frame.data = static_cast<uint8_t*>(data);
  frame.extent = extent;
  if (extent != 0 && !made->lock_pages(frame, IoModifyAccess).ok()) return nullptr;
  made->renew();
  made->publish();
  return made;
}

void StreamIrp::renew() {
  for (Frame& frame : frames()) {
    std::memset(frame.header, 0, header_bytes_);
    frame.header->Size = header_bytes_;
    frame.header->FrameExtent = frame.extent;
    frame.header->Data = frame.data;
    frame.header->PresentationTime.Numerator = 1;
    frame.header->PresentationTime.Denominator = 1;
  }
  status_ = STATUS_SUCCESS;
}

void StreamIrp::publish() {
  MDL** next = &irp_->MdlAddress;
  for (Frame& frame : frames()) {
    if (!frame.mdl) continue;
    *next = frame.mdl;
    next = &frame.mdl->Next;
  }
  *next = nullptr;
  // Several headers are published without the guards between them: the pages know no guards.
  if (count_ == 1) irp_->AssociatedIrp.SystemBuffer = headers_;
}

void StreamIrp::release() {
  if (irp_) {
    irp_->MdlAddress = nullptr;
    irp_->AssociatedIrp.SystemBuffer = nullptr;
  }
  for (Frame& frame : frames()) {
    frame.mapping.end();
    if (frame.mdl) machine_.mdls().unlock(*std::exchange(frame.mdl, nullptr));
    base::poison(frame.header, header_bytes_);
  }
  if (own_ && irp_) machine_.irps().free(*irp_);
  irp_ = nullptr;
  count_ = 0;
  own_ = write_ = ending_ = cancel_came_ = cancel_expected_ = false;
  place_ = Place::Nowhere;
  status_ = STATUS_SUCCESS;
  injection_ = {};
  tag = nullptr;
  queue_ = nullptr;
  next_ = prev_ = nullptr;
}

// --- Ending ---

uint32_t StreamIrp::header_overrun(const Frame& frame) const {
  uint8_t* guard = reinterpret_cast<uint8_t*>(frame.header) + header_bytes_;
  uint32_t damage = damage_of(guard);
  if (damage) arm_guard(guard);
  return damage;
}

// As documented: for a read, the size of the headers that were used; for a write, the bytes that were used.
uint64_t StreamIrp::information() {
  if (!write_) return uint64_t{count_ - left_} * header_bytes_;
  uint64_t bytes = 0;
  if (left_ != 0) return bytes;
  for (const Frame& frame : frames()) bytes += frame.header->DataUsed;
  return bytes;
}

base::Result<> StreamIrp::write_back() {
  if (write_) return {};  // "the headers are not modified on a write operation"
  auto* to = static_cast<uint8_t*>(client_headers_);
  for (Frame& frame : frames()) {
    // The members that say where the frame is keep the client's values, whatever the driver wrote.
    frame.header->Size = header_bytes_;
    frame.header->FrameExtent = frame.extent;
    frame.header->Data = frame.data;
    TRY(nt::careful_write(to, frame.header, header_bytes_));
    to += header_bytes_;
  }
  return {};
}

void StreamIrp::complete(std::unique_ptr<StreamIrp> done) {
  if (done->injected()) {
    done->injection_.queue->return_injected(*done);
    return;
  }
  if (done->own_) return;
  IRP& irp = done->irp();
  nt::Machine& machine = done->machine_;
  irp.IoStatus.Status = done->status_;
  irp.IoStatus.Information = done->information();
  if (auto written = done->write_back(); !written.ok()) {
    irp.IoStatus.Status = written.status();
    irp.IoStatus.Information = 0;
  }
  done.reset();
  machine.irps().complete(irp, IO_NO_INCREMENT);
}

}  // namespace ks
