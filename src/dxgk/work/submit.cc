#include "dxgk/work/submit.h"

#include <cstring>

#include "dxgk/adapter/adapter.h"
#include "dxgk/work/gpu.h"

namespace dxgk {
namespace {

base::Result<> check(const Context& first, Context& context, const CommandCall& call) {
  if (&context.device() != &first.device()) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the contexts of one submission belong to several devices");
  }
  TRY(context.usable());
  if (!context.virtual_addressing()) {
    return base::Failure(STATUS_INVALID_PARAMETER,
                         "commands of this context are patched: it is D3DKMTRender's (US-07)");
  }
  if (context.synchronization_only()) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the context is for synchronisation only");
  }
  if (call.private_data.size() > context.info().DmaBufferPrivateDataSize) {
    return base::Failure(STATUS_INVALID_PARAMETER, "more private data than the driver asked for");
  }
  return {};
}

// The driver sees a block as large as it asked for, with what it held before behind the client's bytes (observed).
void attach(Submission& submission, Context& context, std::span<const uint8_t> data) {
  uint32_t bytes = context.info().DmaBufferPrivateDataSize;
  if (bytes == 0) return;
  Gpu& gpu = context.adapter().gpu();
  void* block = gpu.take_private_data(context);
  if (!data.empty()) std::memcpy(block, data.data(), data.size());
  submission.private_data = block;
  submission.private_bytes = bytes;
  submission.client_private_bytes = static_cast<uint32_t>(data.size());
}

}  // namespace

base::Result<> submit_commands(std::span<const base::Ref<Context>> contexts, const CommandCall& call) {
  for (const auto& context : contexts) TRY(check(*contexts.front(), *context, call));
  for (const auto& context : contexts) {
    Gpu& gpu = context->adapter().gpu();
    Submission& submission = gpu.make(vidsch::PacketKind::Render);
    submission.commands = call.commands;
    submission.bytes = call.bytes;
    submission.null_rendering = call.null_rendering;
    attach(submission, *context, call.private_data);
    gpu.enqueue(*context, submission);
  }
  return {};
}

}  // namespace dxgk
