// An allocator's beginning. Pages: ks/nf-ks-kscreateallocator, nf-ks-kscreatedefaultallocatorex,
// nc-ks-pfnkspininitializeallocator, "filter-specific-allocators".
#include <cstring>

#include "ks/allocator/allocator.h"
#include "ks/allocator/allocator_impl.h"
#include "ks/allocator/allocator_registry.h"
#include "ks/allocator/driver_frames.h"
#include "ks/allocator/framing.h"
#include "ks/allocator/pool_frames.h"
#include "ks/object/create_name.h"
#include "ks/pin/pin.h"
#include "nt/boundary/refuse.h"

namespace ks {
namespace {

base::Result<KSALLOCATOR_FRAMING> framing_in(const uint8_t* parameters, size_t bytes) {
  if (bytes != sizeof(KSALLOCATOR_FRAMING)) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "an allocator is created with a KSALLOCATOR_FRAMING");
  }
  KSALLOCATOR_FRAMING framing;
  memcpy(&framing, parameters, sizeof(framing));
  TRY(judge(framing));
  return framing;
}

// A dispatch table with missing routines was reported with its pin, and does not count as an allocator.
bool provides(const Pin& pin) {
  const KSALLOCATOR_DISPATCH* own = pin.dispatch() ? pin.dispatch()->Allocator : nullptr;
  return own && own->InitializeAllocator && own->DeleteAllocator && own->Allocate && own->Free;
}

AllocatorRoutines routines_of(Pin& pin) {
  const KSALLOCATOR_DISPATCH& own = *pin.dispatch()->Allocator;
  return {.initialize_context = pin.body(),
          .allocate = own.Allocate,
          .free = own.Free,
          .initialize_pin = own.InitializeAllocator,
          .initialize = nullptr,
          .remove = own.DeleteAllocator};
}

Pin* pin_behind(const FILE_OBJECT* file) {
  FileNode* node = node_of(file);
  return node && node->kind() == NodeKind::Pin ? static_cast<Pin*>(node) : nullptr;
}

// Policy: the driver's InitializeAllocator runs at PASSIVE_LEVEL with the filter's control mutex held, as every other
// routine that makes something of a pin's.
NTSTATUS initialise(FrameSource& source, Pin* pin) {
  if (!pin) return source.initialise();
  Holding holding(pin->control());
  return source.initialise();
}

}  // namespace

struct AllocatorNode::Request {
  const KSALLOCATOR_FRAMING& framing;
  Pin* pin;                           // null: none of the class's
  const AllocatorRoutines* routines;  // null: the default allocator
  nt::Scope* scope;                   // the parent of its own
};

NTSTATUS AllocatorNode::create(Pin& pin, IRP& irp, const uint8_t* parameters, size_t bytes) {
  auto framing = framing_in(parameters, bytes);
  if (!framing.ok()) return nt::refuse(pin.machine(), framing.failure());
  bool in_kernel = irp.RequestorMode == KernelMode || pin.peer();
  if (!in_kernel || !provides(pin)) return open(pin.system(), irp, {framing.value(), &pin, nullptr, &pin.scope()});
  AllocatorRoutines routines = routines_of(pin);
  return open(pin.system(), irp, {framing.value(), &pin, &routines, &pin.scope()});
}

NTSTATUS AllocatorNode::create_default(System& system, IRP& irp, const AllocatorRoutines* routines, nt::Scope* scope) {
  const FILE_OBJECT& file = *IoGetCurrentIrpStackLocation(&irp)->FileObject;
  auto name = parse_create_name(file.FileName);
  if (!name.ok()) return nt::refuse(system.machine(), name.failure());
  auto framing = framing_in(name.value().parameters.data(), name.value().parameters.size());
  if (!framing.ok()) return nt::refuse(system.machine(), framing.failure());
  return open(system, irp, {framing.value(), pin_behind(file.RelatedFileObject), routines, scope});
}

NTSTATUS AllocatorNode::open(System& system, IRP& irp, const Request& request) {
  FILE_OBJECT& file = *IoGetCurrentIrpStackLocation(&irp)->FileObject;
  std::string name = request.pin ? request.pin->name() : "a file of the driver's own";
  auto impl = std::make_unique<Impl>(system, file, request.pin, std::move(name), request.framing);
  impl->drivers_own = request.routines != nullptr;
  if (request.routines) {
    impl->source =
        std::make_unique<DriverFrames>(system.machine(), system.policy().stress_allocators ? Stress::Yes : Stress::No,
                                       *request.routines, request.framing, impl->name, request.scope);
  } else {
    impl->source = std::make_unique<PoolFrames>(system.machine(), request.framing, impl->name, request.scope);
  }
  std::unique_ptr<AllocatorNode> node(new AllocatorNode(std::move(impl)));
  NTSTATUS status = initialise(*node->impl_->source, request.pin);
  if (!NT_SUCCESS(status)) return status;
  {
    base::Guard guard(node->impl_->lock);
    node->impl_->state = AllocatorState::Initialized;
  }
  system.allocators().opened(file, *node);
  file.FsContext = static_cast<FileNode*>(node.release());
  return STATUS_SUCCESS;
}

}  // namespace ks
