// For the drivers that build paging buffers wrongly: softgpu does it from a changed copy of what it was asked for.
#pragma once

#include "on_softgpu.h"

static inline NTSTATUS BuildFrom(IN_CONST_HANDLE Adapter, DXGKARG_BUILDPAGINGBUFFER* Changed,
                                 DXGKARG_BUILDPAGINGBUFFER* Args) {
  NTSTATUS Status = Good.DxgkDdiBuildPagingBuffer(Adapter, Changed);
  Args->pDmaBuffer = Changed->pDmaBuffer;
  Args->MultipassOffset = Changed->MultipassOffset;
  return Status;
}
