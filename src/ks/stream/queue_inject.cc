// Frames that a driver submits itself. Pages: stream/frame-injection, ks/nf-ks-kspinsubmitframe,
// ks/nc-ks-pfnkspinframereturn, ks/nc-ks-pfnkspinirpcompletion.
#include <algorithm>
#include <cstring>

#include "ks/exports/callback.h"
#include "ks/stream/queue_impl.h"

namespace ks {

void Queue::set_frame_return(PFNKSPINFRAMERETURN callback) {
  QueueImpl::Held held(*impl_);
  impl_->frame_return = callback;
}

void Queue::set_irp_completion(PFNKSPINIRPCOMPLETION callback) {
  QueueImpl::Held held(*impl_);
  impl_->irp_completion = callback;
}

bool Queue::injects() {
  QueueImpl::Held held(*impl_);
  return impl_->frame_return != nullptr;
}

base::Result<> Queue::inject(void* data, uint32_t bytes, MDL* mdl, const KSSTREAM_HEADER* header, void* context) {
  if (mdl) {
    data = mdl->MappedSystemVa ? mdl->MappedSystemVa : MmGetMdlVirtualAddress(mdl);
    bytes = mdl->ByteCount;
  }
  std::unique_ptr<StreamIrp> made = StreamIrp::make(*this, data, bytes);
  if (!made) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "there is no memory for an injected frame");
  KSSTREAM_HEADER& own = *made->frames().front().header;
  own.DataUsed = bytes;
  if (header) {
    uint32_t room = own.Size;
    std::memcpy(static_cast<void*>(&own), header, std::min<size_t>(header->Size, room));
    own.Size = room;
    own.FrameExtent = bytes;
    own.Data = data;
    own.DataUsed = std::min(own.DataUsed, bytes);
  }
  made->set_injection({this, mdl ? nullptr : data, mdl ? 0 : bytes, mdl, context});
  impl_->owner.left(std::move(made));
  return {};
}

void Queue::went_round(StreamIrp& irp) {
  PFNKSPINIRPCOMPLETION callback;
  {
    QueueImpl::Held held(*impl_);
    callback = impl_->irp_completion;
  }
  if (callback) call(impl_->machine, Ddi::PinIrpCompletion, impl_->site.scope, callback, &impl_->site.body, &irp.irp());
}

void Queue::return_injected(StreamIrp& irp) {
  went_round(irp);
  PFNKSPINFRAMERETURN callback;
  {
    QueueImpl::Held held(*impl_);
    callback = impl_->frame_return;
  }
  const StreamIrp::Injection& injection = irp.injection();
  if (callback) {
    call(impl_->machine, Ddi::PinFrameReturn, impl_->site.scope, callback, &impl_->site.body, injection.data,
         injection.bytes, injection.mdl, injection.context, irp.status());
  }
}

}  // namespace ks
