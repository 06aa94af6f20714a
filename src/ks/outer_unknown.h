#pragma once

#include <memory>

#include "abi/ks/ks.h"

namespace ks {

class Device;
class Object;

// The interface that stands for an object towards its driver: IUnknown, on a device IKsDeviceFunctions, and whatever
// the driver aggregated. Lives as long as its object, however it is counted.
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

// What both ways to register a DMA adapter come to, with what may be wrong in them.
void register_adapter(Device& device, PADAPTER_OBJECT adapter, ULONG max_bytes, ULONG stride);

}  // namespace ks
