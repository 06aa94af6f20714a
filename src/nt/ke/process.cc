#include "nt/ke/process.h"

#include <algorithm>

#include "nt/io/file_objects.h"
#include "nt/io/io_request.h"
#include "nt/ke/dispatcher.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace nt {
namespace {

constexpr uintptr_t kProgramBit = 0x40000000;  // above all numbers of a handle table
constexpr uint32_t kRememberedCloses = 128;
// How long an ending program waits for requests before it closes the handles they came through; ours.
constexpr base::TimeNs kPatience = 1'000'000'000;

uint64_t number(HANDLE handle) { return reinterpret_cast<uintptr_t>(handle) & ~uint64_t{kProgramBit}; }

}  // namespace

Process::Process(Machine& machine, std::string name)
    : machine_(machine),
      name_(std::move(name)),
      table_(ob::SlotTable::kMaxSlots, kRememberedCloses),
      body_(new (machine.pool().allocate(sizeof(_EPROCESS), 0, PoolKind::Internal, PoolFill::Zero))
                _EPROCESS{{}, machine.handles().next_process_id()}) {}

// The body stays: a driver may have kept a pointer to it.
Process::~Process() { CHECK_MSG(ended_, "a program is destroyed that was not ended"); }

Process* Process::current() {
  Thread* thread = Thread::current();
  return thread ? thread->process : nullptr;
}

// --- Handles ---

bool Process::is_handle(HANDLE handle) {
  auto value = reinterpret_cast<uintptr_t>(handle);
  return value & kProgramBit && value < 2 * kProgramBit;
}

base::Result<HANDLE> Process::open(ob::ObjectKind kind, void* body, ACCESS_MASK access) {
  auto reservation = TRY(table_.reserve());
  auto object = KernelObject::create(kind, ordinals_, body, access);
  uint64_t handle = reservation.publish(std::move(object)) | kProgramBit;
  machine_.note(
      trace::HandleOpen{.handle = handle, .kind = static_cast<uint8_t>(trace::ObjectKind::None), .ordinal = 0});
  return reinterpret_cast<HANDLE>(handle);
}

base::Result<> Process::close(HANDLE handle) {
  if (!is_handle(handle)) return base::Failure(STATUS_INVALID_HANDLE, "no handle of the program's");
  auto closed = table_.close<ob::Object>(number(handle), {machine_.here_id(), machine_.self().ordinal});
  if (!closed.ok()) return base::Failure(STATUS_INVALID_HANDLE, ob::describe(closed.error()));
  machine_.note(trace::HandleClose{.handle = reinterpret_cast<uintptr_t>(handle)});
  let_go(static_cast<KernelObject&>(*closed.value()));
  return {};
}

// Bodies of events stay as long as the machine: a driver may have a reference.
void Process::let_go(KernelObject& object) {
  if (object.kind() == ob::ObjectKind::File) {
    machine_.files().handle_closed(*static_cast<FILE_OBJECT*>(object.body()));
  }
}

base::Result<KernelHandles::Found> Process::find(HANDLE handle, POBJECT_TYPE type) {
  if (!is_handle(handle)) return base::Failure(STATUS_INVALID_HANDLE, "no handle of the program's");
  auto found = table_.get<ob::Object>(number(handle));
  if (!found.ok()) return base::Failure(STATUS_INVALID_HANDLE, ob::describe(found.error()));
  auto& object = static_cast<KernelObject&>(*found.value());
  if (type && type->kind != object.kind()) {
    return base::Failure(STATUS_OBJECT_TYPE_MISMATCH, "the handle stands for an object of another type");
  }
  return KernelHandles::Found{object.body(), object.granted()};
}

base::Result<HANDLE> Process::create_event(EVENT_TYPE type, bool signalled) {
  void* memory = machine_.pool().allocate(sizeof(KEVENT), 0, PoolKind::Internal, PoolFill::Zero);
  if (!memory) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for an event");
  auto kind = type == NotificationEvent ? ObjectType::NotificationEvent : ObjectType::SynchronizationEvent;
  machine_.dispatcher().initialise(memory, sizeof(KEVENT), kind, signalled);
  return open(ob::ObjectKind::Event, memory, EVENT_ALL_ACCESS);
}

// --- Threads ---

Thread& Process::create_thread(const std::string& name, std::function<void()> body) {
  return machine_.create_thread(name, [this, body = std::move(body)] {
    Inside inside(*this);
    body();
  });
}

Process::Inside::Inside(Process& process) : outer_(std::exchange(Thread::current()->process, &process)) {}
Process::Inside::~Inside() { Thread::current()->process = outer_; }

// --- Requests and the end ---

void Process::add(IoRequest& request) {
  base::Guard guard(lock_);
  requests_.push_back(&request);
}

void Process::remove(IoRequest& request) {
  base::Task* waiter = nullptr;
  {
    base::Guard guard(lock_);
    std::erase(requests_, &request);
    if (requests_.empty()) waiter = std::exchange(ending_, nullptr);
  }
  if (waiter) machine_.executor().unpark(*waiter);
}

void Process::cancel_requests() {
  std::vector<IoRequest*> cancelled;
  {
    base::Guard guard(lock_);
    for (IoRequest* request : requests_) {
      if (request->begin_cancel()) cancelled.push_back(request);
    }
  }
  for (IoRequest* request : cancelled) request->finish_cancel();
}

void Process::await_requests(base::TimeNs deadline) {
  for (bool late = false;;) {
    {
      base::Guard guard(lock_);
      ending_ = requests_.empty() || late ? nullptr : base::Executor::current();
      if (!ending_) return;
    }
    late = machine_.executor().park(deadline, base::Point::Wait) == base::Wake::Deadline;
  }
}

void Process::end() {
  CHECK(!ended_);
  cancel_requests();
  await_requests(machine_.executor().now() + kPatience);
  while (table_.open_count() != 0) {
    table_.for_each([&](uint64_t handle, ob::Object&) {
      static_cast<void>(close(reinterpret_cast<HANDLE>(handle | kProgramBit)));
    });
  }
  await_requests(base::kForever);
  ended_ = true;
}

}  // namespace nt
