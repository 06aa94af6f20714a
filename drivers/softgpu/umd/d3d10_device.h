// The Direct3D 10 and 11 DDI's device.
//
// Direct3D 11 creates and destroys on any thread, while one thread at a time uses the immediate context, which
// everything else belongs to. So creation touches nothing but what it creates, and destruction only puts it on a list;
// the thread that submits takes the list and gives back what is on it.
#pragma once

#include <d3d10umddi.h>

#include "d3d10_resource.h"
#include "d3d10_state.h"
#include "device.h"
#include "query.h"

namespace softgpu::d3d10 {

// Which errors a function may report, by the categories of the page "Handling Errors". What it may not say is that the
// device was removed.
enum class Legal : uint8_t {
  Removed,   // AllowDeviceRemoved
  Memory,    // AllowOutOfMemory
  Resource,  // CreateResource: that, and that there is no such resource
  Busy,      // AllowMapErrors, AllowGetDataErrors
  Counter,   // AllowWKCheckCounterErrors, AllowDDCheckCounterErrors: what there is, and never that the device is gone
};

// A query, whose slot in memory is taken when it is first asked. Owned by the program; after its destruction by the
// device's list of destroyed queries.
struct QueryRecord {
  QueryRecord* next;
  QueryKind kind;
  Query* query;  // null: never asked
};

// Made by CreateDevice, ended by DestroyDevice; hDevice is memory of the runtime's that leads to it. What is not said
// to be for any thread belongs to the immediate context.
class D3d10Device final : public Device {
 public:
  HRESULT start(const Adapter& adapter, const D3D10DDIARG_CREATEDEVICE& args);
  // Everything is given back, whatever fails.
  HRESULT end();

  // --- Any thread ---
  void report(HRESULT result, Legal legal) const;
  void bury(Resource* resource) { push(&buried_, resource); }
  void bury(QueryRecord* query) { push(&buried_queries_, query); }

  // --- The immediate context ---
  // The end of a function: errors are reported, and the runtime is told if something was submitted.
  void finish(HRESULT result, Legal legal = Legal::Removed);
  // The same for a function that the runtime counts as a command, whether there was anything to do for it or not.
  void finish_command(HRESULT result);
  // All commands so far are on their way, and what was destroyed before is given back.
  HRESULT submit();
  // pfnPresentCb of DXGI.
  HRESULT present(DXGIDDICB_PRESENT* args);

  State state;
  Queries queries;

 private:
  template <typename T>
  static void push(T** list, T* item) {
    T* first = __atomic_load_n(list, __ATOMIC_RELAXED);
    do {
      item->next = first;
    } while (!__atomic_compare_exchange_n(list, &first, item, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  }
  HRESULT add_nothing();
  HRESULT submit_told();
  void take_buried();
  void amortize();

  Resource* buried_ = nullptr;
  QueryRecord* buried_queries_ = nullptr;
  D3D10DDI_HRTCORELAYER core_ = {};
  PFND3D10DDI_SETERROR_CB set_error_ = nullptr;
  PFND3D11DDI_PERFORM_AMORTIZED_PROCESSING_CB perform_amortized_ = nullptr;  // Direct3D 11
  PFNDDXGIDDI_PRESENTCB present_ = nullptr;
  uint64_t amortized_ = 1;  // the batch that was being built when the runtime was last told; 0: none
  bool told_ = false;       // commands, since all of them were last submitted
};

inline D3d10Device& device_of(D3D10DDI_HDEVICE handle) { return **static_cast<D3d10Device**>(handle.pDrvPrivate); }

// What the runtime's memory of a view or state object holds; null for none.
template <typename T, typename Handle>
T* object_of(Handle handle) {
  return static_cast<T*>(handle.pDrvPrivate);
}
// The object that the runtime's memory shall hold.
template <typename T, typename Handle>
void place(Handle handle, const T& object) {
  *static_cast<T*>(handle.pDrvPrivate) = object;
}

}  // namespace softgpu::d3d10
