#include "ks/stuck_request.h"

#include <fmt/format.h>

#include "ks/queue.h"
#include "ks/stream_irp.h"
#include "ks/stream_pointer.h"
#include "nt/machine.h"

namespace ks {
namespace {

// A request that a queue has.
StreamIrp* streaming_request(IRP& irp) {
  if (irp.CurrentLocation > irp.StackCount) return nullptr;
  const IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(&irp);
  if (at.MajorFunction != IRP_MJ_DEVICE_CONTROL) return nullptr;
  ULONG code = at.Parameters.DeviceIoControl.IoControlCode;
  if (code != IOCTL_KS_READ_STREAM && code != IOCTL_KS_WRITE_STREAM) return nullptr;
  return static_cast<StreamIrp*>(irp.Tail.Overlay.DriverContext[0]);
}

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
  base::Stack routine;
  routine.pc[routine.count++] = reinterpret_cast<uintptr_t>(pin.Descriptor->Dispatch->Process) + 1;
  story.stacks.push_back({"its Process routine", routine});
}

}  // namespace

std::optional<nt::RequestStory> explain_request(nt::Machine& machine, IRP& irp) {
  StreamIrp* request = streaming_request(irp);
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

}  // namespace ks
