#include "umd/d3d10/frame10.h"

namespace umd {

// S_OK is not allowed either: a function that has nothing to report does not call pfnSetErrorCb.
bool is_allowed(Errors category, HRESULT error) {
  if (error == D3DDDIERR_DEVICEREMOVED) return category != Errors::None;
  switch (category) {
    case Errors::None:
    case Errors::Removed:
      return false;
    case Errors::Memory:
      return error == E_OUTOFMEMORY;
    case Errors::Unsupported:
      return error == E_OUTOFMEMORY || error == DXGI_DDI_ERR_UNSUPPORTED;
    case Errors::Map:
      return error == DXGI_DDI_ERR_WASSTILLDRAWING;
  }
  return false;
}

}  // namespace umd
