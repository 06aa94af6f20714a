// Does not say which version of the interface it was compiled with.
// FIXED does.
#include <d3dumddi.h>

HRESULT APIENTRY GoodOpenAdapter(D3DDDIARG_OPENADAPTER* Args);
HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER* Args);

HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER* Args) {
  HRESULT Result = GoodOpenAdapter(Args);
#ifndef FIXED
  Args->DriverVersion = 0;
#endif
  return Result;
}
