#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "abi/um/d3dumddi.h"
#include "umd/common/runtime.h"

namespace umd::testing {

// A user-mode driver for tests: it allocates for what it is asked to create, counts its calls, and does no more. The
// test can replace each function. One at a time.
class FakeDriver9 {
 public:
  FakeDriver9();
  ~FakeDriver9();
  FakeDriver9(const FakeDriver9&) = delete;
  FakeDriver9& operator=(const FakeDriver9&) = delete;

  static Exports exports();

  // What it reports and leaves out.
  HRESULT open_result = S_OK;
  UINT version = 0;  // 0: the runtime's
  std::string hole;  // the name of a slot that stays NULL

  // Replaces what it does; an empty one is its own way.
  std::function<HRESULT(D3DDDIARG_CREATERESOURCE2&)> on_create;
  std::function<HRESULT(D3DDDIARG_OPENRESOURCE&)> on_open;
  std::function<HRESULT(HANDLE)> on_destroy;
  std::function<HRESULT(D3DDDIARG_LOCK&)> on_lock;
  std::function<HRESULT(UINT stage, HANDLE)> on_set_texture;
  std::function<HRESULT()> on_draw;
  std::function<HRESULT()> on_flush;
  std::function<HRESULT()> on_destroy_device;

  // Its own way, for those that do something else before or after.
  HRESULT create(D3DDDIARG_CREATERESOURCE2& args);
  HRESULT destroy(HANDLE resource);

  // --- What it may call ---
  const D3DDDI_DEVICECALLBACKS* callbacks = nullptr;
  HANDLE device = nullptr;  // the runtime's: of the device that it was called for last
  HRESULT allocate(HANDLE resource, UINT count = 1, D3DKMT_HANDLE* allocations = nullptr);
  HRESULT deallocate(HANDLE resource);
  HRESULT deallocate(std::vector<D3DKMT_HANDLE> allocations);

  struct Made {
    HANDLE runtime_handle;
    UINT surfaces;
  };
  std::map<HANDLE, Made> resources;  // by its own handles
  std::map<HANDLE, HANDLE> devices;  // the runtime's, by its own
  void serve(HANDLE driver_handle);  // a call about that device begins
  HANDLE new_handle();
  HANDLE next_handle = reinterpret_cast<HANDLE>(0x1000);
  int closed = 0;

 private:
  static HRESULT APIENTRY open_adapter(D3DDDIARG_OPENADAPTER* args);
  static HRESULT APIENTRY create_device(HANDLE adapter, D3DDDIARG_CREATEDEVICE* args);
};

}  // namespace umd::testing
