// softgpu's driver, which does not say what its commands are. With ROOMY it has all the memory of its hardware,
// whatever the registry says.
#include "on_softgpu.h"

static NTSTATUS QueryWithoutProtocol(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Args) {
  if (Args->Type == DXGKQAITYPE_UMDRIVERPRIVATE) return STATUS_NOT_SUPPORTED;
  return Good.DxgkDdiQueryAdapterInfo(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiQueryAdapterInfo = QueryWithoutProtocol; }

NTSTATUS __real_ZwOpenKey(PHANDLE Key, ACCESS_MASK Access, POBJECT_ATTRIBUTES Attributes);

NTSTATUS __wrap_ZwOpenKey(PHANDLE Key, ACCESS_MASK Access, POBJECT_ATTRIBUTES Attributes) {
#ifdef ROOMY
  UNREFERENCED_PARAMETER(Key);
  UNREFERENCED_PARAMETER(Access);
  UNREFERENCED_PARAMETER(Attributes);
  return STATUS_OBJECT_NAME_NOT_FOUND;
#else
  return __real_ZwOpenKey(Key, Access, Attributes);
#endif
}
