// Where a context's registers are while another one has the engine: a context allocation each (../proto/softgpu_cmd.h).
#pragma once

#include "allocation.h"
#include "device.h"
#include "writer.h"

namespace softgpu {

// hDriverAllocation of DxgkCbCreateContextAllocation. Not paged: submissions read it at DISPATCH_LEVEL. They and the
// paging operations that change it exclude each other.
struct ContextImage {
  AllocationKind kind;
  HANDLE dxgk_allocation;
  UINT64 address;  // virtual in the context's own address space, or physical; 0: not in memory
};

// For a context that is not the system's. A failure is one of DxgkDdiCreateContext.
NTSTATUS create_image(Context& context, HANDLE dxgk_context);
void destroy_image(Context& context);
// All of them, by DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION. The context is idle.
NTSTATUS set_registers(const Context& context, UINT64 value);

// DXGK_OPERATION_INIT_CONTEXT_RESOURCE: before the context runs for the first time.
NTSTATUS init_image(const DXGKARG_BUILDPAGINGBUFFER& args, CommandWriter& writer);
// DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION: the private data are the new content.
NTSTATUS update_image(const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION& update, CommandWriter& writer);
// Notes where an operation moves an image. Of an operation about anything else nothing.
void follow_image(const DXGKARG_BUILDPAGINGBUFFER& args);

}  // namespace softgpu
