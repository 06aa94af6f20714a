#include "dxgk/paging/paging_call.h"

#include <fmt/format.h>

#include <cstring>

#include "dxgk/adapter/adapter.h"
#include "dxgk/ddi/thread_context.h"
#include "dxgk/paging/paging_buffer.h"

namespace dxgk {
namespace {

using nt::Violation;

template <typename T>
std::span<const uint8_t> bytes_of(std::span<const T> list) {
  return {reinterpret_cast<const uint8_t*>(list.data()), list.size_bytes()};
}

uintptr_t number(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

// The first and the last byte that differ between `before` and `after`, as [from, to); none when they are equal.
struct Changed {
  size_t from = 0, to = 0;
  explicit operator bool() const { return from != to; }
};
Changed changed(const uint8_t* before, const uint8_t* after, size_t from, size_t to) {
  if (from >= to || std::memcmp(before + from, after + from, to - from) == 0) return {};
  while (before[from] == after[from]) ++from;
  while (before[to - 1] == after[to - 1]) --to;
  return {from, to};
}

}  // namespace

PagingCall::PagingCall(Adapter& adapter, const PagingOperation& operation, HANDLE system_context)
    : adapter_(adapter), operation_(operation), compares_(adapter.machine().options().pace == nt::Pace::Simulated) {
  // The driver can see all of it, and all of it is compared: also what no member of the union covers.
  std::memset(&args_, 0, sizeof(args_));
  describe(operation, args_);
  args_.hSystemContext = system_context;
  // MultipassOffset is 0 now; from here on the driver sets it.
  nt::Machine& machine = adapter.machine();
  if (const auto* update = std::get_if<paging::UpdatePageTable>(&operation)) {
    list_.emplace(machine, bytes_of(update->entries));
    list_64k_.emplace(machine, bytes_of(update->entries_64k));
    args_.UpdatePageTable.pPageTableEntries = static_cast<DXGK_PTE*>(list_->data());
    args_.UpdatePageTable.pPageTableEntries64KB = static_cast<DXGK_PTE*>(list_64k_->data());
  } else if (const auto* copy = std::get_if<paging::CopyPageTableEntries>(&operation)) {
    list_.emplace(machine, bytes_of(copy->ranges));
    args_.CopyPageTableEntries.pRanges = static_cast<DXGK_BUILDPAGINGBUFFER_COPY_RANGE*>(list_->data());
  } else if (const auto* context = std::get_if<paging::UpdateContextAllocation>(&operation)) {
    list_.emplace(machine, context->private_data);
    args_.UpdateContextAllocation.pDriverPrivateData = list_->data();
  }
}

void PagingCall::tell_idle() {
  idle_ = true;
  set_idle(args_);
}

base::Result<PagingCall::Outcome> PagingCall::make(const Room& room) {
  aim(room);
  NTSTATUS status = call();
  TRY(check_pointers());
  TRY(check_surroundings(room));
  Outcome outcome = TRY(judge(status, room));
  check_sizes();
  check_input();
  check_bytes(room, outcome);
  if (room.buffer) {
    room.buffer->dma_fill.used += advance_;
    room.buffer->private_fill.used += private_advance_;
  }
  return outcome;
}

void PagingCall::aim(const Room& room) {
  PagingBuffer* buffer = room.buffer;
  size_t offset = buffer ? buffer->dma_fill.used : 0;
  args_.pDmaBuffer = buffer ? buffer->data() + offset : nullptr;
  args_.DmaSize = static_cast<UINT>(room.bytes);
  args_.pDmaBufferPrivateData =
      buffer && buffer->private_data() ? buffer->private_data() + buffer->private_fill.used : nullptr;
  args_.DmaBufferPrivateDataSize = static_cast<UINT>(room.private_bytes);
  args_.DmaBufferGpuVirtualAddress = buffer ? buffer->placement().gpu_address : 0;
  args_.DmaBufferWriteOffset = static_cast<UINT>(offset);
  std::memcpy(&given_, &args_, sizeof(args_));
  if (!compares_ || !buffer) return;
  bytes_.assign(buffer->data(), buffer->data() + buffer->size());
  private_bytes_.assign(buffer->private_data(), buffer->private_data() + buffer->private_size());
}

NTSTATUS PagingCall::call() {
  ThreadContext context(nullptr);
  return adapter_.miniport().call(Ddi::BuildPagingBuffer, &DRIVER_INITIALIZATION_DATA::DxgkDdiBuildPagingBuffer,
                                  &adapter_.scope(), adapter_.context(), &args_);
}

void PagingCall::report_violation(Violation what, const std::string& what_it_did) {
  adapter_.machine().report_violation(what,
                                      fmt::format("DxgkDdiBuildPagingBuffer({}) {}", name_of(operation_), what_it_did));
}

// --- What makes the buffer useless ---

base::Result<> PagingCall::check_pointers() {
  advance_ = number(args_.pDmaBuffer) - number(given_.pDmaBuffer);
  private_advance_ = number(args_.pDmaBufferPrivateData) - number(given_.pDmaBufferPrivateData);
  // A pointer that moved backwards is seen as a very large advance.
  if (advance_ > given_.DmaSize) {
    report_violation(Violation::PagingBufferOverrun,
                     fmt::format("moved pDmaBuffer by {} bytes, in a buffer with room for {}",
                                 static_cast<int64_t>(advance_), given_.DmaSize));
    return base::Failure(STATUS_INVALID_PARAMETER, "the driver moved pDmaBuffer out of the paging buffer");
  }
  if (private_advance_ > given_.DmaBufferPrivateDataSize) {
    report_violation(Violation::PagingPrivateOverrun,
                     fmt::format("moved pDmaBufferPrivateData by {} bytes, with room for {}",
                                 static_cast<int64_t>(private_advance_), given_.DmaBufferPrivateDataSize));
    return base::Failure(STATUS_INVALID_PARAMETER, "the driver moved pDmaBufferPrivateData out of the private data");
  }
  return {};
}

base::Result<> PagingCall::check_surroundings(const Room& room) {
  if (!compares_ || !room.buffer) return {};
  PagingBuffer& buffer = *room.buffer;
  nt::PoolDamage damage = buffer.check_guards();
  Changed beyond = changed(bytes_.data(), buffer.data(), buffer.dma_fill.used + room.bytes, buffer.size());
  if (damage || beyond) {
    report_violation(Violation::PagingBufferOverrun,
                     damage.before
                         ? fmt::format("wrote {} byte(s) before the paging buffer", damage.before)
                         : fmt::format("wrote up to {} byte(s) beyond the {} of DmaSize",
                                       damage.after ? buffer.size() + damage.after - buffer.dma_fill.used - room.bytes
                                                    : beyond.to - buffer.dma_fill.used - room.bytes,
                                       room.bytes));
    return base::Failure(STATUS_INVALID_PARAMETER, "the driver wrote outside of the paging buffer");
  }
  nt::PoolDamage private_damage = buffer.check_private_guards();
  if (private_damage) {
    report_violation(Violation::PagingPrivateOverrun,
                     fmt::format("wrote {} byte(s) {} the private data of the paging buffer",
                                 private_damage.after ? private_damage.after : private_damage.before,
                                 private_damage.after ? "beyond" : "before"));
    return base::Failure(STATUS_INVALID_PARAMETER, "the driver wrote outside of the paging buffer's private data");
  }
  return {};
}

// Every status but three was already reported by the driver call (RS-11).
base::Result<PagingCall::Outcome> PagingCall::judge(NTSTATUS status, const Room& room) {
  bool moved = args_.MultipassOffset != given_.MultipassOffset;
  progressed_ = advance_ != 0 || private_advance_ != 0 || moved;
  if (status == STATUS_SUCCESS) return Outcome::Done;
  if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
    if (room.buffer && (progressed_ || !room.whole)) return Outcome::OutOfRoom;
    report_violation(
        Violation::PagingNoProgress,
        room.buffer ? fmt::format("did nothing with {} bytes, the whole of a paging buffer, and wants more", room.bytes)
                    : "ran out of a buffer that it was not given: without one it does the operation at once");
    return base::Failure(status, "the driver cannot build the operation in a whole paging buffer");
  }
  if (status == STATUS_GRAPHICS_ALLOCATION_BUSY) {
    if (may_be_busy(operation_) && !idle_) return Outcome::Busy;
    report_violation(Violation::PagingBusyAgain,
                     idle_ ? "returned STATUS_GRAPHICS_ALLOCATION_BUSY, although AllocationIsIdle was set"
                           : "returned STATUS_GRAPHICS_ALLOCATION_BUSY for an operation that does not wait");
    return base::Failure(status, "the driver says that an idle allocation is busy");
  }
  return base::Failure(status, "the driver could not build a paging operation (DxgkDdiBuildPagingBuffer)");
}

// --- What leaves it usable ---

// The pages say that both sizes are in and out. Drivers that do not change them work (policy): the pointer says the
// same.
void PagingCall::check_sizes() {
  if (args_.DmaSize != given_.DmaSize && args_.DmaSize != given_.DmaSize - advance_) {
    report_violation(Violation::PagingSizeWrong,
                     fmt::format("moved pDmaBuffer by {} bytes and changed DmaSize from {} to {}", advance_,
                                 given_.DmaSize, args_.DmaSize));
  }
  if (args_.DmaBufferPrivateDataSize != given_.DmaBufferPrivateDataSize &&
      args_.DmaBufferPrivateDataSize != given_.DmaBufferPrivateDataSize - private_advance_) {
    report_violation(
        Violation::PagingSizeWrong,
        fmt::format("moved pDmaBufferPrivateData by {} bytes and changed DmaBufferPrivateDataSize from {} to {}",
                    private_advance_, given_.DmaBufferPrivateDataSize, args_.DmaBufferPrivateDataSize));
  }
}

void PagingCall::check_input() {
  UINT multipass = args_.MultipassOffset;
  given_.pDmaBuffer = args_.pDmaBuffer;
  given_.DmaSize = args_.DmaSize;
  given_.pDmaBufferPrivateData = args_.pDmaBufferPrivateData;
  given_.DmaBufferPrivateDataSize = args_.DmaBufferPrivateDataSize;
  given_.MultipassOffset = multipass;
  if (std::memcmp(&given_, &args_, sizeof(args_)) != 0) {
    report_violation(Violation::PagingInputChanged,
                     "changed members of DXGKARG_BUILDPAGINGBUFFER that it may only read");
    std::memcpy(&args_, &given_, sizeof(args_));
  }
  if ((list_ && list_->changed()) || (list_64k_ && list_64k_->changed())) {
    report_violation(Violation::PagingInputChanged, "wrote to the list that DXGKARG_BUILDPAGINGBUFFER points to");
  }
}

// Every byte that the driver says it has built must lie below its pointer, and it must not change bytes below the place
// where it began. Half a packet behind the pointer is allowed when the driver ran out of room.
void PagingCall::check_bytes(const Room& room, Outcome outcome) {
  if (!compares_ || !room.buffer) return;
  PagingBuffer& buffer = *room.buffer;
  size_t start = buffer.dma_fill.used;
  if (Changed before = changed(bytes_.data(), buffer.data(), buffer.dma_fill.submitted, start)) {
    report_violation(Violation::PagingBytesLost,
                     fmt::format("began at {:#x} of the buffer and wrote {:#x}..{:#x}, over an operation built before",
                                 start, before.from, before.to));
  }
  bool claims = outcome == Outcome::Done || (advance_ == 0 && progressed_);
  Changed behind = changed(bytes_.data(), buffer.data(), start + advance_, start + room.bytes);
  if (claims && behind) {
    report_violation(
        Violation::PagingBytesLost,
        fmt::format("left pDmaBuffer at {:#x} of the buffer and wrote {:#x}..{:#x}: the next operation overwrites it",
                    start + advance_, behind.from, behind.to));
  }
  size_t private_end = buffer.private_fill.used + private_advance_;
  Changed untold =
      changed(private_bytes_.data(), buffer.private_data(), private_end, buffer.private_fill.used + room.private_bytes);
  if (outcome == Outcome::Done && untold) {
    report_violation(Violation::PagingBytesLost,
                     fmt::format("left pDmaBufferPrivateData at {:#x} and wrote {:#x}..{:#x}: no submission shows it",
                                 private_end, untold.from, untold.to));
  }
}

}  // namespace dxgk
