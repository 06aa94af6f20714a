#include "ks/property/stuck_request.h"

#include <fmt/format.h>

#include "ks/object/create_name.h"
#include "ks/object/request.h"
#include "ks/stream/queue.h"
#include "ks/stream/stream_irp.h"
#include "ks/stream/stream_pointer.h"
#include "nt/machine/machine.h"
#include "nt/mm/careful_copy.h"

namespace ks {
namespace {

// 0 when it is no control request that a driver has.
ULONG control_code(IRP& irp) {
  if (irp.CurrentLocation > irp.StackCount) return 0;
  const IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(&irp);
  return at.MajorFunction == IRP_MJ_DEVICE_CONTROL ? at.Parameters.DeviceIoControl.IoControlCode : 0;
}

base::Stack stack_at(const void* routine) {
  base::Stack stack;
  stack.pc[stack.count++] = reinterpret_cast<uintptr_t>(routine) + 1;  // as if it were a return address
  return stack;
}

// --- Properties and methods ---

// A copy of a row of a driver's table, which the driver may have changed or freed since; nothing if it is unreadable.
template <typename Item>
std::optional<Item> row_of(const IRP& irp) {
  Item item;
  if (!nt::careful_read(&item, irp.Tail.Overlay.DriverContext[3], sizeof(item)).ok()) return std::nullopt;
  return item;
}

struct Handler {
  const char* noun;
  const char* verb;
  PFNKSHANDLER routine;
};

std::optional<Handler> property_handler(const IRP& irp, ULONG flags) {
  auto item = row_of<KSPROPERTY_ITEM>(irp);
  if (!item) return std::nullopt;
  if (flags & KSPROPERTY_TYPE_GET) return Handler{"property", "read", item->GetPropertyHandler};
  if (flags & KSPROPERTY_TYPE_SET) return Handler{"property", "set", item->SetPropertyHandler};
  return Handler{"property", "asked about", item->SupportHandler};
}

std::optional<Handler> method_handler(const IRP& irp, ULONG flags) {
  auto item = row_of<KSMETHOD_ITEM>(irp);
  if (!item) return std::nullopt;
  if (flags & KSMETHOD_TYPE_BASICSUPPORT) return Handler{"method", "asked about", item->SupportHandler};
  return Handler{"method", "called", item->MethodHandler};
}

// Nothing when no handler has had it. A thread that waits for a request has sent it before, so that the handler has
// returned.
std::optional<nt::RequestStory> explain_handler(nt::Machine& machine, IRP& irp, ULONG code) {
  if (!irp.AssociatedIrp.SystemBuffer || !irp.Tail.Overlay.DriverContext[3]) return std::nullopt;
  auto request = Request::open(machine, irp);
  KSIDENTIFIER id;
  if (!request.ok() || !nt::careful_read(&id, &request.value().id(), sizeof(id)).ok()) return std::nullopt;
  auto handler = code == IOCTL_KS_PROPERTY ? property_handler(irp, id.Flags) : method_handler(irp, id.Flags);
  if (!handler || !handler->routine) return std::nullopt;
  std::u16string set = guid_text(id.Set);
  nt::RequestStory story;
  story.sentence = fmt::format("{} {} of set {} is {}, and the driver's handler let it pend", handler->noun, id.Id,
                               std::string(set.begin(), set.end()), handler->verb);
  story.stacks.push_back(
      {fmt::format("the handler of the {}", handler->noun), stack_at(reinterpret_cast<const void*>(handler->routine))});
  if (irp.CancelRoutine) {
    story.stacks.push_back({"its cancel routine", stack_at(reinterpret_cast<const void*>(irp.CancelRoutine))});
  }
  return story;
}

// --- Frames ---

const char* describe(const StreamPointer& pointer) {
  switch (pointer.kind()) {
    case StreamPointer::Kind::Leading:
      return "the leading edge";
    case StreamPointer::Kind::Trailing:
      return "the trailing edge";
    case StreamPointer::Kind::Clone:
      return pointer.locked() ? "a locked clone" : "a clone";
  }
  return "";
}

void add_holder(nt::Machine& machine, const StreamPointer& pointer, nt::RequestStory& story) {
  if (!story.stacks.empty()) story.sentence += " and ";
  story.sentence += describe(pointer);
  story.stacks.push_back(
      {fmt::format("{} was made or locked", describe(pointer)), machine.stacks().get(pointer.taken_at())});
}

void add_routine(const KSPIN& pin, nt::RequestStory& story) {
  if (!pin.Descriptor || !pin.Descriptor->Dispatch || !pin.Descriptor->Dispatch->Process) return;
  story.stacks.push_back(
      {"its Process routine", stack_at(reinterpret_cast<const void*>(pin.Descriptor->Dispatch->Process))});
}

std::optional<nt::RequestStory> explain_frames(nt::Machine& machine, const IRP& irp) {
  auto* request = static_cast<StreamIrp*>(irp.Tail.Overlay.DriverContext[0]);
  if (!request || !request->queue()) return std::nullopt;
  Queue& queue = *request->queue();
  nt::RequestStory story;
  story.sentence = fmt::format("a streaming request of {} is held by ", queue.site().name);
  for (const Frame& frame : request->frames()) {
    for (StreamPointer* edge : {queue.leading(), queue.trailing()}) {
      if (edge && edge->frame() == &frame && edge->locked()) add_holder(machine, *edge, story);
    }
    for (StreamPointer* clone = frame.clones; clone; clone = clone->next_on_frame()) {
      add_holder(machine, *clone, story);
    }
  }
  if (story.stacks.empty()) {
    story.sentence =
        fmt::format("a streaming request of {} is in its queue, and its driver has not come to it", queue.site().name);
    add_routine(queue.site().body, story);
  }
  return story;
}

}  // namespace

std::optional<nt::RequestStory> explain_request(nt::Machine& machine, IRP& irp) {
  switch (ULONG code = control_code(irp)) {
    case IOCTL_KS_READ_STREAM:
    case IOCTL_KS_WRITE_STREAM:
      return explain_frames(machine, irp);
    case IOCTL_KS_PROPERTY:
    case IOCTL_KS_METHOD:
      return explain_handler(machine, irp, code);
    default:
      return std::nullopt;
  }
}

}  // namespace ks
