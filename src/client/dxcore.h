#pragma once

#include <vector>

#include "client/adapter_facts.h"

struct _GUID;

// DXCore: how clients enumerate adapters before they open one through D3DKMT. COM objects over AdapterFacts; behaviour
// as observed on Windows. Any thread.
namespace client {

using AdapterSource = std::vector<AdapterFacts> (*)();

// DXCoreCreateAdapterFactory over any source of adapters, which is asked whenever a factory is made. There is one
// factory at a time: while it lives, every call returns it.
int32_t create_adapter_factory(AdapterSource source, const _GUID& iid, void** out);

}  // namespace client
