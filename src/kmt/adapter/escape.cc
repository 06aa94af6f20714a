// D3DKMTEscape: private data between a client and the kernel driver.
#include "dxgk/adapter/adapter.h"
#include "dxgk/ddi/call_buffer.h"
#include "dxgk/ddi/thread_context.h"
#include "dxgk/object/context.h"
#include "dxgk/object/device.h"
#include "kmt/adapter/open_adapter.h"
#include "kmt/client/raw_enum.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

// Those that the page lists are for the graphics kernel itself, and for testing only: not known here.
base::Result<> check_type(uint32_t type) {
  if (type == D3DKMT_ESCAPE_DRIVERPRIVATE) return {};
  bool listed = type <= D3DKMT_ESCAPE_QUERY_PHYSICAL_ADAPTER ||
                (type >= D3DKMT_ESCAPE_WIN32K_START && type <= D3DKMT_ESCAPE_WIN32K_SPECIALIZED_DISPLAY_TEST);
  if (!listed) return refuse("a type of escape that does not exist");
  return base::Failure(STATUS_NOT_SUPPORTED, "escapes to the graphics kernel are not supported");
}

// With the mutex held, or alone in the driver.
base::Result<> call_driver(Client& client, dxgk::ProcessAdapter& on_adapter, dxgk::Device* device, dxgk::Context* about,
                           D3DDDI_ESCAPEFLAGS flags, std::span<uint8_t> data) {
  dxgk::Adapter& adapter = on_adapter.adapter();
  if (!adapter.started()) return base::Failure(STATUS_DEVICE_REMOVED, "the adapter has been stopped");
  if (device) TRY(device->usable());
  if (about) TRY(about->usable());
  dxgk::CallBuffer shown(adapter.machine(), data);
  DXGKARG_ESCAPE args{};
  args.hDevice = device ? device->driver_device() : nullptr;
  args.hContext = about ? about->driver_context() : nullptr;
  args.Flags = flags;
  args.pPrivateDriverData = data.empty() ? nullptr : shown.data();
  args.PrivateDriverDataSize = static_cast<UINT>(data.size());
  args.hKmdProcessHandle = on_adapter.driver_process();
  dxgk::ThreadContext context(&client.process());
  NTSTATUS status = adapter.miniport().call(dxgk::Ddi::Escape, &DRIVER_INITIALIZATION_DATA::DxgkDdiEscape,
                                            device ? &device->scope() : &adapter.scope(), adapter.context(), &args);
  if (status < 0) return base::Failure(status, "the driver refused the escape (DxgkDdiEscape)");
  shown.copy_back(data);
  return {};
}

}  // namespace

Answer serve::Escape(Client& client, const D3DKMT_ESCAPE* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<OpenAdapter> open = TRY(client.find<OpenAdapter>(args.hAdapter));
  dxgk::Adapter& adapter = open->adapter();
  TRY(check_type(raw(args.Type)));
  if (args.Flags.Reserved || args.Flags.Reserved2) return refuse("reserved flags are set");
  std::optional<base::Ref<dxgk::Device>> device;
  if (args.hDevice) {
    device = TRY(client.find<dxgk::Device>(args.hDevice));
    if (&(*device)->adapter() != &adapter) return refuse("the device is another adapter's");
  }
  std::optional<base::Ref<dxgk::Context>> about;
  if (args.hContext) {
    about = TRY(client.find<dxgk::Context>(args.hContext));
    if (!device || &(*about)->device() != &**device) return refuse("the context is another device's");
  }
  if (!adapter.miniport().has(&DRIVER_INITIALIZATION_DATA::DxgkDdiEscape)) {
    return base::Failure(STATUS_NOT_SUPPORTED, "the driver has no DxgkDdiEscape");
  }
  ByteScratch data;
  TRY(data.make(args.PrivateDriverDataSize));
  TRY(client.memory().read(data.span(), args.pPrivateDriverData));
  auto on_adapter = TRY(client.process().on(adapter));
  dxgk::Device* on_device = device ? &**device : nullptr;
  dxgk::Context* on_context = about ? &**about : nullptr;
  if (args.Flags.HardwareAccess) {
    dxgk::Adapter::Alone alone(adapter);
    TRY(call_driver(client, *on_adapter, on_device, on_context, args.Flags, data.span()));
  } else {
    dxgk::ParkingLock lock(on_adapter->mutex());
    TRY(call_driver(client, *on_adapter, on_device, on_context, args.Flags, data.span()));
  }
  return client.memory().write(args.pPrivateDriverData, std::span<const uint8_t>(data.span()));
}

}  // namespace kmt
