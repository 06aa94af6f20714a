#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "abi/um/d3d10umddi.h"
#include "umd/common/runtime.h"

namespace umd::testing {

// What the driver keeps in the memory that the runtime lends it for a resource.
struct FakeResource10 {
  HANDLE runtime_handle;
  bool allocated;
  bool at_once;  // a primary that is not shared
};

// A user-mode driver of Direct3D 10 and 11 for tests: it allocates for what it is asked to create, defers what it must
// defer until the next Flush, submits when it has drawn, and records how it is called. It complains when the runtime
// destroys what is bound, or a resource before its views. The test can replace each function. One at a time.
class FakeDriver10 {
 public:
  FakeDriver10();
  ~FakeDriver10();
  FakeDriver10(const FakeDriver10&) = delete;
  FakeDriver10& operator=(const FakeDriver10&) = delete;

  static Exports exports();

  // --- What it says of itself and leaves out ---
  std::vector<UINT64> versions{D3D10_0_DDI_SUPPORTED, D3D10_1_DDI_SUPPORTED, D3D11_0_DDI_SUPPORTED};
  UINT threading = D3D11DDICAPS_FREETHREADED;
  UINT pipelines = D3D11DDI_ENCODE_3DPIPELINESUPPORT_CAP(D3D11DDI_3DPIPELINELEVEL_10_0);
  UINT highest_of_open = D3D10_1_DDI_INTERFACE_VERSION;  // OpenAdapter10 refuses above
  HRESULT open_result = S_OK;
  HRESULT create_device_result = S_OK;
  std::string hole;  // the name of a slot that stays NULL

  // --- Replaces what it does; an empty one is its own way ---
  std::function<void(const D3D11DDIARG_CREATERESOURCE&, D3D10DDI_HRESOURCE, HANDLE runtime_handle)> on_create;
  std::function<void(const D3D10DDIARG_OPENRESOURCE&, D3D10DDI_HRESOURCE, HANDLE runtime_handle)> on_open;
  std::function<void(D3D10DDI_HRESOURCE)> on_destroy;
  std::function<void()> on_create_view;
  std::function<void()> on_draw;
  std::function<void(D3D10DDI_MAPPED_SUBRESOURCE&)> on_map;
  std::function<void()> on_flush;
  std::function<HRESULT(DXGI_DDI_ARG_PRESENT&)> on_present;
  std::function<void()> on_destroy_device;
  bool staging_busy = false;

  // --- Its own way ---
  void create(const D3D11DDIARG_CREATERESOURCE& args, D3D10DDI_HRESOURCE resource, HANDLE runtime_handle);
  void destroy(D3D10DDI_HRESOURCE resource);
  void draw() { ++batched; }
  void flush();
  HRESULT present(DXGI_DDI_ARG_PRESENT& args);
  void submit();
  void release_deferred();

  // --- What it may call: the last device's that was created, or the one that the test says it serves ---
  void serve(const D3D10DDIARG_CREATEDEVICE& device_arguments);
  const D3DDDI_DEVICECALLBACKS* callbacks = nullptr;
  const D3D11DDI_CORELAYER_DEVICECALLBACKS* core_callbacks = nullptr;
  const DXGI_DDI_BASE_CALLBACKS* dxgi_callbacks = nullptr;
  HANDLE device = nullptr;  // the runtime's
  D3D10DDI_HRTCORELAYER core{};
  HRESULT allocate(HANDLE resource, D3DKMT_HANDLE* allocation = nullptr);
  HRESULT deallocate(HANDLE resource);
  void set_error(HRESULT error) { core_callbacks->pfnSetErrorCb(core, error); }

  // --- What happened ---
  D3D10DDIARG_CREATEDEVICE created{};     // as it came
  D3D11DDI_DEVICEFUNCS* table = nullptr;  // the runtime's
  std::vector<std::string> log;           // since the test last cleared it
  std::vector<std::string> complaints;
  std::map<void*, void*> views;                          // and the resource of each, by their memory
  std::set<void*> targets, pixel_views, vertex_buffers;  // that are bound
  std::vector<HANDLE> deferred;                          // destroyed, and not deallocated yet
  uint32_t batched = 0;                                  // draws that were not submitted
  uint32_t closed = 0;
  HANDLE context = nullptr;
};

}  // namespace umd::testing
