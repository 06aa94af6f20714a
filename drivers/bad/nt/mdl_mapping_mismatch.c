// Maps an MDL over nonpaged pool, which the system has mapped anyway.
// FIXED asks for the address that there is.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  PUCHAR Buffer = ExAllocatePool2(POOL_FLAG_NON_PAGED, PAGE_SIZE, BAD_TAG);
  PUCHAR Mapped;
  PMDL Mdl;

  if (Buffer == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Mdl = IoAllocateMdl(Buffer, PAGE_SIZE, FALSE, FALSE, NULL);
  if (Mdl != NULL) {
    MmBuildMdlForNonPagedPool(Mdl);
#ifdef FIXED
    Mapped = MmGetSystemAddressForMdlSafe(Mdl, NormalPagePriority | MdlMappingNoExecute);
#else
    Mapped =
        MmMapLockedPagesSpecifyCache(Mdl, KernelMode, MmCached, NULL, FALSE, NormalPagePriority | MdlMappingNoExecute);
#endif
    if (Mapped != NULL) Mapped[0] = 1;
    IoFreeMdl(Mdl);
  }
  ExFreePoolWithTag(Buffer, BAD_TAG);
  return Mdl != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) {}
