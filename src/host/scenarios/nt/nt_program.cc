#include "host/scenarios/nt/nt_program.h"

#include <algorithm>

#include "base/rng.h"
#include "nt/io/file_objects.h"

namespace host {
namespace {

// More than this is not allocated: the length that the request names may still be larger.
constexpr ULONG kMostMemory = 1u << 20;
// Below the first page that a process can map.
uint8_t* const kUnmapped = reinterpret_cast<uint8_t*>(uintptr_t{0x1008});

void fill(nt::UserMemory& memory, uint64_t seed) {
  base::Rng rng(seed);
  for (size_t i = 0; i < memory.size(); ++i) memory.data()[i] = static_cast<uint8_t>(rng.next());
}

void* pointer_to(nt::UserMemory& memory, NtRequest::Pointers pointers) {
  switch (pointers) {
    case NtRequest::Pointers::Good:
      return memory.data();
    case NtRequest::Pointers::Null:
      return nullptr;
    case NtRequest::Pointers::Unmapped:
      return kUnmapped;
  }
  return nullptr;
}

bool is_control(UCHAR major) {
  return major == IRP_MJ_DEVICE_CONTROL || major == IRP_MJ_INTERNAL_DEVICE_CONTROL ||
         major == IRP_MJ_FILE_SYSTEM_CONTROL;
}

}  // namespace

NtProgram::Sent::Sent(nt::Machine& machine, const NtRequest& request)
    : major_(request.major),
      request_(machine),
      in_(std::min(request.in_bytes, kMostMemory)),
      out_(std::min(request.out_bytes, kMostMemory)) {
  fill(in_, machine.executor().choose(UINT32_MAX));
  fill(out_, request.code);
}

NtProgram::NtProgram(NtStack& stack, const std::string& name)
    : stack_(stack), machine_(stack.machine()), process_(machine_, name) {}

NtProgram::~NtProgram() {
  close();
  process_.end();
  for (auto& sent : sent_) {
    sent->request_.wait();  // it has ended; what its end does last may still be under way
    note(*sent);
  }
}

bool NtProgram::open(DEVICE_OBJECT& device, std::u16string_view name) {
  nt::Process::Inside inside(process_);
  auto opened =
      machine_.files().open_handle(&process_, {device, nullptr, name, GENERIC_READ | GENERIC_WRITE, UserMode});
  stack_.note(IRP_MJ_CREATE, opened.ok() ? STATUS_SUCCESS : opened.failure().code());
  if (!opened.ok()) return false;
  handle_ = opened.take();
  return true;
}

void NtProgram::close() {
  if (!handle_) return;
  nt::Process::Inside inside(process_);
  static_cast<void>(machine_.files().close(&process_, std::exchange(handle_, nullptr)));
  stack_.note(IRP_MJ_CLEANUP, STATUS_SUCCESS);
  stack_.note(IRP_MJ_CLOSE, STATUS_SUCCESS);
}

NtProgram::Sent* NtProgram::start(const NtRequest& request) {
  nt::Process::Inside inside(process_);
  forget_ended();
  auto found = machine_.files().find(&process_, handle_, UserMode);
  if (!found.ok()) return nullptr;
  FILE_OBJECT* file = found.take();
  sent_.push_back(std::unique_ptr<Sent>(new Sent(machine_, request)));
  Sent& sent = *sent_.back();
  dispatch(*file, sent, request);
  machine_.files().dereference(*file);
  return &sent;
}

NTSTATUS NtProgram::dispatch(FILE_OBJECT& file, Sent& sent, const NtRequest& request) {
  void* in = pointer_to(sent.in_, request.pointers);
  void* out = pointer_to(sent.out_, request.pointers);
  if (is_control(request.major)) {
    // Only the kernel sends internal controls.
    KPROCESSOR_MODE mode = request.major == IRP_MJ_INTERNAL_DEVICE_CONTROL ? KernelMode : UserMode;
    return sent.request_.start(
        nt::Files::Control{file, request.code, in, request.in_bytes, out, request.out_bytes, mode, request.major});
  }
  LARGE_INTEGER offset;
  offset.QuadPart = request.offset;
  return sent.request_.start(
      nt::Files::Transfer{file, request.major, out, request.out_bytes, offset, UserMode, request.information_class});
}

NTSTATUS NtProgram::finish(Sent& sent, base::TimeNs patience) {
  base::Executor& executor = machine_.executor();
  NTSTATUS status = sent.request_.wait(executor.now() + patience);
  if (status == STATUS_TIMEOUT && sent.pending()) {
    sent.cancel();
    status = sent.request_.wait(executor.now() + kCancelPatience);
    if (status == STATUS_TIMEOUT && sent.pending()) return status;
  }
  return note(sent);
}

NTSTATUS NtProgram::note(Sent& sent) {
  NTSTATUS status = sent.request_.status().Status;
  if (!std::exchange(sent.noted_, true) && sent.request_.sent()) stack_.note(sent.major_, status);
  return status;
}

NTSTATUS NtProgram::send(const NtRequest& request) {
  Sent* sent = start(request);
  return sent ? finish(*sent) : STATUS_INVALID_HANDLE;
}

// Those that were waited for.
void NtProgram::forget_ended() {
  std::erase_if(sent_, [](const auto& sent) { return sent->noted_; });
}

}  // namespace host
