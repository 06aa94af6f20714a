#pragma once

#include <memory>

#include "abi/ks/ks.h"

namespace ks {

class Device;
class Object;

// The interface through which a driver sees an object: IUnknown, on a device IKsDeviceFunctions, and what the driver
// aggregated. Lives as long as its object, whatever its reference count is.
class OuterUnknown {
 public:
  explicit OuterUnknown(Object& object);
  ~OuterUnknown();
  OuterUnknown(const OuterUnknown&) = delete;
  OuterUnknown& operator=(const OuterUnknown&) = delete;

  IUnknown* get();
  void aggregate(IUnknown* client) { client_ = client; }

 private:
  struct Face;
  Object& object_;
  Face* const face_;  // in the machine's memory
  IUnknown* client_ = nullptr;
};

// Registers a DMA adapter, for both functions that do so, and reports what is wrong with the arguments.
void register_adapter(Device& device, PADAPTER_OBJECT adapter, ULONG max_bytes, ULONG stride);

}  // namespace ks
