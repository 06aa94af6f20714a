// The skeleton with an object for each resource, as it has one for each allocation.
#pragma once

#include "skeleton.h"

static inline NTSTATUS CreateInResource(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  HANDLE Resource = Args->hResource;
  NTSTATUS Status;
  if (Args->Flags.Resource && Resource == NULL) Resource = Make();
  if (Args->Flags.Resource && Resource == NULL) return STATUS_NO_MEMORY;
  Status = CreateAllocation(Adapter, Args);
  if (!NT_SUCCESS(Status) && Resource != Args->hResource) Free(Resource);
  if (NT_SUCCESS(Status)) Args->hResource = Resource;
  return Status;
}

static inline NTSTATUS DestroyInResource(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
  if (Args->Flags.DestroyResource) Free(Args->hResource);
  return DestroyAllocation(Adapter, Args);
}

// What DxgkCbGetHandleData knows of the resource that an allocation belongs to; NULL of one that belongs to none.
static inline VOID* ResourceData(D3DKMT_HANDLE Allocation) {
  DXGKARGCB_GETHANDLEDATA Wanted = {.hObject = Dxgk.DxgkCbGetHandleParent(Allocation), .Type = DXGK_HANDLE_RESOURCE};
  return Wanted.hObject != 0 ? Dxgk.DxgkCbGetHandleData(&Wanted) : NULL;
}
