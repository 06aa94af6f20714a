// D3DKMTSubmitCommand.
#include "dxgk/work/submit.h"

#include "base/planted.h"
#include "dxgk/object/context.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

}  // namespace

Answer serve::SubmitCommand(Client& client, const D3DKMT_SUBMITCOMMAND* user) {
  auto args = TRY(client.memory().read(user));
  if (args.Flags.Reserved) return refuse("reserved flags are set");
  bool none = args.BroadcastContextCount == 0 && !base::planted("kmt_thunks_fuzz");
  if (none || args.BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT) {
    return refuse("a number of contexts that cannot be");
  }
  if (args.NumPrimaries > D3DDDI_MAX_WRITTEN_PRIMARIES) return refuse("more primaries than can be named");
  if (args.Flags.PresentRedirected) {
    return base::Failure(STATUS_NOT_SUPPORTED, "redirected presents need a display");
  }
  ByteScratch data;
  TRY(data.make(args.PrivateDriverDataSize));
  TRY(client.memory().read(data.span(), args.pPrivateDriverData));
  dxgk::CommandCall call{args.Commands, args.CommandLength, data.span(), args.Flags.NullRendering != 0};
  std::vector<base::Ref<dxgk::Context>> contexts;
  for (UINT i = 0; i < args.BroadcastContextCount; ++i) {
    contexts.push_back(TRY(client.find<dxgk::Context>(args.BroadcastContext[i])));
  }
  dxgk::Device& device = contexts.front()->device();
  dxgk::ParkingLock lock(device.mutex());
  for (UINT i = 0; i < args.NumPrimaries; ++i) {
    base::Ref<dxgk::AllocationView> view = TRY(client.find<dxgk::AllocationView>(args.WrittenPrimaries[i]));
    if (&view->device() != &device) return refuse("a written primary belongs to another device");
  }
  return dxgk::submit_commands(contexts, call);
}

}  // namespace kmt
