// Maps a page of an allocation into its client and leaves it there when the allocation goes.
// FIXED takes it out first.
#include "skeleton.h"

static PVOID Page;
static PMDL Mdl;
static PVOID Mapping;

static VOID MapForClient(VOID) {
  if (Page != NULL) return;
  Page = ExAllocatePool2(POOL_FLAG_NON_PAGED, PAGE_SIZE, BAD_TAG);
  Mdl = Page != NULL ? IoAllocateMdl(Page, PAGE_SIZE, FALSE, FALSE, NULL) : NULL;
  if (Mdl == NULL) return;
  MmBuildMdlForNonPagedPool(Mdl);
  Mapping =
      MmMapLockedPagesSpecifyCache(Mdl, UserMode, MmCached, NULL, FALSE, NormalPagePriority | MdlMappingNoExecute);
}

static VOID UnmapFromClient(VOID) {
  if (Page == NULL) return;
#ifdef FIXED
  if (Mapping != NULL) MmUnmapLockedPages(Mapping, Mdl);
#endif
  if (Mdl != NULL) IoFreeMdl(Mdl);
  ExFreePoolWithTag(Page, BAD_TAG);
  Page = NULL;
  Mdl = NULL;
  Mapping = NULL;
}

static NTSTATUS CreateMapped(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  if (NT_SUCCESS(Status)) MapForClient();
  return Status;
}

static NTSTATUS DestroyMapped(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
  UnmapFromClient();
  return DestroyAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateAllocation = CreateMapped;
  Table->DxgkDdiDestroyAllocation = DestroyMapped;
}
