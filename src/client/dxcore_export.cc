#include "client/dxcore.h"

extern "C" __attribute__((visibility("default"))) int32_t DXCoreCreateAdapterFactory(const _GUID& iid, void** factory) {
  return client::create_adapter_factory(&client::adapter_facts, iid, factory);
}
