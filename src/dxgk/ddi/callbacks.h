#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/km/dispmprt.h"
#include "base/result.h"
#include "dxgk/ddi/ddi.h"
#include "nt/boundary/kernel_code.h"
#include "nt/machine/machine.h"

// What a display miniport driver may call: the rows of callbacks.def, and the class that every such function begins
// with.
namespace dxgk {

class Adapter;
class Kernel;

enum class Cb : uint8_t {
#define DXGKCB(name, ...) name,
#include "dxgk/ddi/callbacks.def"
};

struct CallbackRow {
  const char* name;  // "DxgkCbMapMemory"
  uint8_t min_irql;
  uint8_t max_irql;
  InterfaceVersion since;
  uint32_t end;  // of its slot in DXGKRNL_INTERFACE
};

inline constexpr CallbackRow kCallbacks[] = {
#define DXGKCB(name, lowest, highest, since, page)                       \
  {"DxgkCb" #name, irql::lowest, irql::highest, InterfaceVersion::since, \
   offsetof(DXGKRNL_INTERFACE, DxgkCb##name) + static_cast<uint32_t>(sizeof(DXGKRNL_INTERFACE::DxgkCb##name))},
#include "dxgk/ddi/callbacks.def"
};

constexpr const CallbackRow& row(Cb callback) { return kCallbacks[static_cast<size_t>(callback)]; }

// How much of DXGKRNL_INTERFACE a Windows of this version gives.
constexpr uint32_t interface_bytes(uint32_t version) {
  uint32_t bytes = offsetof(DXGKRNL_INTERFACE, DxgkCbEvalAcpiMethod);
  for (const CallbackRow& slot : kCallbacks) {
    if (static_cast<uint32_t>(slot.since) <= version) bytes = slot.end;
  }
  return bytes;
}

// Every slot of that version, in a block of exactly its size: `interface` has room for interface_bytes(version).
void fill_interface(DXGKRNL_INTERFACE& interface, uint32_t version, HANDLE device_handle);

// The first statement of every DxgkCb function: traces the call and judges its IRQL.
class CallbackCall {
 public:
  explicit CallbackCall(Cb callback);

  nt::Machine& machine() const { return machine_; }
  Kernel& kernel() const;
  // The adapter that the handle stands for. Null, after a finding, for anything else.
  Adapter* adapter(HANDLE device_handle) const;

  // Says no: the reason goes into the trace.
  NTSTATUS refuse(const base::Failure& failure) const;
  // The same for a function that has no status to return.
  void ignore(const char* why) const;
  // This function is not served here.
  NTSTATUS unsupported() const;

 private:
  nt::KernelCode code_;
  Cb callback_;
  nt::Machine& machine_;
};

// The functions, by noun. Each file fills its slots.
void fill_handle_callbacks(DXGKRNL_INTERFACE& interface);
void fill_memory_callbacks(DXGKRNL_INTERFACE& interface);
void fill_interrupt_callbacks(DXGKRNL_INTERFACE& interface);
void fill_device_callbacks(DXGKRNL_INTERFACE& interface);
void fill_context_callbacks(DXGKRNL_INTERFACE& interface);

}  // namespace dxgk
