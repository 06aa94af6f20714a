// D3DKMTEnumAdapters2/3, D3DKMTOpenAdapterFrom…, D3DKMTCloseAdapter.
#include <string>
#include <vector>

#include "dxgk/object/unpublished_handle.h"
#include "kmt/adapter/adapter_names.h"
#include "kmt/adapter/open_adapter.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using Opened = dxgk::UnpublishedHandle<OpenAdapter>;

// What Windows 11 answers to a client that asks how many adapters there may be (observed).
constexpr UINT kAdapterCapacity = 34;
constexpr UINT kWslMostAdapters = 64;
constexpr size_t kMostPathCharacters = 1024;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

base::Result<Opened> open(Client& client, dxgk::Adapter& adapter) {
  return Opened::make(client.process(),
                      ob::UnpublishedObject<OpenAdapter>::adopt(new OpenAdapter(adapter, client.process().ordinals())));
}

// Handles that were reserved one after the other are given back in the reverse order, so that the next one is again
// the first of them.
class OpenedList {
 public:
  ~OpenedList() {
    while (!opened_.empty()) opened_.pop_back();
  }
  D3DKMT_HANDLE add(Opened opened) {
    opened_.push_back(std::move(opened));
    return opened_.back().handle();
  }
  void publish() {
    for (Opened& opened : opened_) opened.publish();
    opened_.clear();
  }

 private:
  std::vector<Opened> opened_;
};

bool listed(const dxgk::Adapter& adapter, D3DKMT_ENUMADAPTERS_FILTER filter) {
  if (!adapter.started()) return false;
  if (adapter.caps().kind == dxgk::DriverKind::ComputeOnly) return filter.IncludeComputeOnly;
  if (adapter.caps().kind == dxgk::DriverKind::DisplayOnly) return filter.IncludeDisplayOnly;
  return true;
}

template <typename Args>
base::Result<> enum_adapters(Client& client, Args* user, Args args, D3DKMT_ENUMADAPTERS_FILTER filter) {
  std::vector<dxgk::Adapter*> adapters;
  for (dxgk::Adapter* adapter : client.kernel().adapters()) {
    if (listed(*adapter, filter)) adapters.push_back(adapter);
  }
  UINT room = args.NumAdapters;
  args.NumAdapters = static_cast<UINT>(adapters.size());
  if (!args.pAdapters) {
    if (!client.like_wsl()) args.NumAdapters = kAdapterCapacity;
    return client.memory().write(user, args);
  }
  if (client.like_wsl() && room > kWslMostAdapters) return refuse("room for more adapters than there may be (WSL)");
  if (room == 0 || room < adapters.size()) {
    return base::Failure(STATUS_BUFFER_TOO_SMALL, "there are more adapters than the client has room for");
  }
  Scratch<D3DKMT_ADAPTERINFO, 8> infos;
  TRY(infos.make(adapters.size()));
  OpenedList opened;
  for (size_t i = 0; i < adapters.size(); ++i) {
    infos[i] = {.hAdapter = opened.add(TRY(open(client, *adapters[i]))),
                .AdapterLuid = adapters[i]->luid(),
                .NumOfSources = adapters[i]->caps().sources,
                .bPrecisePresentRegionsPreferred = FALSE};
  }
  TRY(client.memory().write(args.pAdapters, std::span<const D3DKMT_ADAPTERINFO>(infos.span())));
  TRY(client.memory().write(user, args));
  opened.publish();
  return {};
}

// Fills what the three ways to open one have in common, and tells the client.
template <typename Args>
base::Result<> open_for(Client& client, Args* user, Args& args, dxgk::Adapter& adapter) {
  Opened opened = TRY(open(client, adapter));
  args.hAdapter = opened.handle();
  args.AdapterLuid = adapter.luid();
  TRY(client.memory().write(user, args));
  opened.publish();
  return {};
}

base::Result<std::u16string> read_string(UserMemory& memory, const WCHAR* user) {
  std::u16string text;
  while (text.size() < kMostPathCharacters) {
    WCHAR c = TRY(memory.read(user + text.size()));
    if (!c) return text;
    text.push_back(c);
  }
  return refuse("a name without an end");
}

}  // namespace

Answer serve::EnumAdapters2(Client& client, D3DKMT_ENUMADAPTERS2* user) {
  auto args = TRY(client.memory().read(user));
  D3DKMT_ENUMADAPTERS_FILTER everything{};
  everything.IncludeComputeOnly = everything.IncludeDisplayOnly = 1;
  return enum_adapters(client, user, args, everything);
}

Answer serve::EnumAdapters3(Client& client, D3DKMT_ENUMADAPTERS3* user) {
  auto args = TRY(client.memory().read(user));
  if (args.Filter.Reserved) return refuse("reserved bits of the filter are set");
  return enum_adapters(client, user, args, args.Filter);
}

Answer serve::OpenAdapterFromLuid(Client& client, D3DKMT_OPENADAPTERFROMLUID* user) {
  auto args = TRY(client.memory().read(user));
  dxgk::Adapter* adapter = client.kernel().adapter(args.AdapterLuid);
  if (!adapter || !adapter->started()) return refuse("no adapter has this LUID");
  return open_for(client, user, args, *adapter);
}

// Displays are numbered through: the first adapter's sources, then the second's. All count as attached to the desktop,
// of which there is none.
Answer serve::OpenAdapterFromGdiDisplayName(Client& client, D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME* user) {
  base::Failure refused(STATUS_UNSUCCESSFUL, "no display has this name");
  auto read = client.memory().read(user);
  if (!read.ok()) return base::Failure(STATUS_UNSUCCESSFUL, read.failure().why());
  auto args = read.take();
  std::u16string_view name(args.DeviceName, std::size(args.DeviceName));
  name = name.substr(0, name.find(u'\0'));
  auto number = display_number(name);
  if (!number) return refused;
  uint32_t source = *number - 1;
  for (dxgk::Adapter* adapter : client.kernel().adapters()) {
    if (!adapter->started()) continue;
    if (source < adapter->caps().sources) {
      args.VidPnSourceId = source;
      return open_for(client, user, args, *adapter);
    }
    source -= adapter->caps().sources;
  }
  return refused;
}

Answer serve::OpenAdapterFromDeviceName(Client& client, D3DKMT_OPENADAPTERFROMDEVICENAME* user) {
  auto args = TRY(client.memory().read(user));
  std::u16string path = TRY(read_string(client.memory(), args.pDeviceName));
  for (dxgk::Adapter* adapter : client.kernel().adapters()) {
    if (adapter->started() && names_adapter(path, adapter->name())) return open_for(client, user, args, *adapter);
  }
  return refuse("no adapter has this device interface");
}

Answer serve::CloseAdapter(Client& client, const D3DKMT_CLOSEADAPTER* user) {
  auto args = TRY(client.memory().read(user));
  auto closed = dxgk::close_handle<OpenAdapter>(client.process(), args.hAdapter);
  if (!closed.ok()) return refuse(ob::describe(closed.error()));
  return {};
}

}  // namespace kmt
