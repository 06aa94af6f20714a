// Reports the version of the header that it was built with, as its page asks for; the runtime is older.
#include <d3dumddi.h>

HRESULT APIENTRY GoodOpenAdapter(D3DDDIARG_OPENADAPTER* Args);
HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER* Args);

HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER* Args) {
  HRESULT Result = GoodOpenAdapter(Args);
  Args->DriverVersion = D3D_UMD_INTERFACE_VERSION;
  return Result;
}
