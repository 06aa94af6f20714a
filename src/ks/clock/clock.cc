#include "ks/clock/clock.h"

#include "ks/clock/default_clock.h"
#include "ks/object/request.h"
#include "ks/pin/pin.h"

namespace ks {

base::Result<> judge_clock_create(const uint8_t* parameters, size_t bytes) {
  if (bytes < sizeof(KSCLOCK_CREATE)) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "the clock's create request is cut short");
  }
  if (reinterpret_cast<const KSCLOCK_CREATE*>(parameters)->CreateFlags) {
    return base::Failure(STATUS_INVALID_PARAMETER, "CreateFlags is reserved");
  }
  return {};
}

NTSTATUS ClockNode::create(Pin& pin, IRP& irp, const uint8_t* parameters, size_t bytes) {
  auto judged = judge_clock_create(parameters, bytes);
  if (!judged.ok()) return refuse(irp, judged.failure());
  DefaultClock* clock = pin.own_clock();
  if (!clock) return refuse(irp, base::Failure(STATUS_INVALID_DEVICE_REQUEST, "the pin provides no clock"));
  return create(irp, *clock);
}

NTSTATUS ClockNode::create(IRP& irp, DefaultClock& clock) {
  IoGetCurrentIrpStackLocation(&irp)->FileObject->FsContext = static_cast<FileNode*>(new ClockNode(clock));
  return STATUS_SUCCESS;
}

ClockNode::ClockNode(DefaultClock& clock) : clock_(clock) { clock_.reference(); }
ClockNode::~ClockNode() { clock_.release(); }

LONGLONG ClockNode::time() { return clock_.time(); }
LONGLONG ClockNode::physical_time() { return clock_.physical_time(); }
LONGLONG ClockNode::correlated_time(LONGLONG* system_time) { return clock_.correlated_time(system_time); }

NTSTATUS ClockNode::device_control(IRP& irp) { return answer_clock_control(*this, irp); }

void ClockNode::cleanup(IRP& irp) {
  clock_.events().disable(IoGetCurrentIrpStackLocation(&irp)->FileObject);
  clock_.rearm();
}

NTSTATUS ClockNode::close(IRP&) { return STATUS_SUCCESS; }

ClockNode* clock_of(const FILE_OBJECT* file) {
  FileNode* node = node_of(file);
  return node && node->kind() == NodeKind::Clock ? static_cast<ClockNode*>(node) : nullptr;
}

}  // namespace ks
