// D3DKMTPresent, as far as it goes without a display: from one allocation of a device to another, both named by the
// client. What needs a window, the desktop, a monitor or the compositor is refused.
#include "dxgk/present/present.h"

#include "dxgk/object/context.h"
#include "dxgk/present/present_parts.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using dxgk::AllocationView;
using dxgk::Context;
using RectScratch = Scratch<RECT, 32>;

// Ours: the documents name no limit.
constexpr UINT kMostParts = 1u << 16;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}
base::Failure no_display(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_NOT_SUPPORTED, why, where);
}

bool has_color_key(D3DKMT_PRESENTFLAGS flags) { return flags.SrcColorKey || flags.DstColorKey; }
// Flags that only say how to flip.
bool has_flip_detail(D3DKMT_PRESENTFLAGS flags) {
  return flags.FlipDoNotFlip || flags.FlipDoNotWait || flags.FlipRestart;
}

// The combinations that the page lists, whatever there is to present to.
base::Result<> judge_combination(D3DKMT_PRESENTFLAGS flags) {
  if (flags.Flip) {
    if (flags.Blt || flags.ColorFill || has_color_key(flags)) return refuse("a flip that draws as well");
    if (flags.SrcRectValid || flags.DstRectValid || flags.Rotate || flags.RestrictVidPnSource) {
      return refuse("a flip takes the whole of the source, as it is");
    }
    return no_display("there is no display to flip");
  }
  if (flags.Blt && flags.ColorFill) return refuse("both a copy and a fill");
  if ((flags.Blt || flags.ColorFill) && has_flip_detail(flags)) return refuse("flags of a flip without one");
  if (flags.ColorFill && has_color_key(flags)) return refuse("there is but one colour: a fill has no colour key");
  if (flags.ColorFill && flags.SrcRectValid) return refuse("a fill has no source");
  return {};
}

base::Result<> judge_display(D3DKMT_PRESENTFLAGS flags) {
  if (flags.RestrictVidPnSource) return no_display("there are no video present sources");
  if (flags.Rotate) return no_display("there is no screen whose orientation could be followed");
  if (flags.PresentToBitmap) return no_display("only the system presents to bitmaps");
  if (flags.RedirectedFlip || flags.RedirectedBlt || flags.PresentHistoryTokenOnly) {
    return no_display("there is no compositor that takes present history tokens");
  }
  if (flags.FlipStereo || flags.FlipStereoTemporaryMono || flags.FlipStereoPreferRight || flags.BltStereoUseRight) {
    return no_display("there are no stereo allocations");
  }
  if (flags.PresentRegionsValid) return no_display("dirty and move regions are the compositor's");
  if (flags.RemoteSession) return no_display("there are no remote sessions");
  if (flags.CrossAdapter || flags.PresentIndirect) return no_display("presents do not reach another adapter");
  if (flags.DurationValid || flags.PresentCountValid || flags.PresentHMD) {
    return no_display("nothing that is presented waits for a display");
  }
  if (flags.PresentDDA || flags.ProtectedContentBlankedOut || flags.Reserved) return refuse("reserved flags are set");
  return {};
}

// A fill is documented for the desktop alone, which is not there: it takes the destination by name too (ours).
base::Result<> judge(const D3DKMT_PRESENT& args) {
  TRY(judge_combination(args.Flags));
  TRY(judge_display(args.Flags));
  if (!args.Flags.Blt && !args.Flags.ColorFill) return refuse("neither a copy nor a fill");
  if (args.BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT)
    return refuse("more contexts than a broadcast can have");
  if (args.BroadcastContextCount) return no_display("only flips are broadcast to several contexts");
  if (args.PresentLimitSemaphore) return no_display("there are no semaphores that limit presents");
  if (!args.pSrcSubRects || args.SubRectCnt == 0) return refuse("no part is to be drawn");
  if (args.SubRectCnt > kMostParts) return refuse("more parts than one present can have");
  if (args.hDestination == 0) return no_display("there are no windows: the destination has to be named");
  if (has_color_key(args.Flags)) return refuse("a colour key, and the destination is named");
  if (args.Flags.ColorFill) return {};
  if (args.hSource == args.hDestination) return refuse("the source is the destination");
  if (!args.Flags.SrcRectValid) return refuse("the destination is named, and no part of the source");
  return {};
}

// Where there is no rectangle, it is the other one; of a fill, what its parts cover (ours).
base::Result<> find_rectangles(const D3DKMT_PRESENT& args, std::span<const RECT> parts, dxgk::PresentCall& call) {
  if (args.Flags.ColorFill) {
    call.to = args.Flags.DstRectValid ? args.DstRect : dxgk::bounds_of(parts);
    call.from = call.to;
  } else {
    call.from = args.SrcRect;
    call.to = args.Flags.DstRectValid ? args.DstRect : args.SrcRect;
  }
  bool stated = args.Flags.Blt || args.Flags.DstRectValid;
  if (stated && (dxgk::is_empty(call.from) || dxgk::is_empty(call.to)))
    return refuse("a rectangle with nothing inside");
  return {};
}

base::Result<base::Ref<AllocationView>> find_allocation(Client& client, Context& context, D3DKMT_HANDLE handle) {
  base::Ref<AllocationView> view = TRY(client.find<AllocationView>(handle));
  if (&view->device() != &context.device()) return refuse("what is presented belongs to another device");
  if (!view->driver_view) return refuse("the driver does not know the allocation");
  return view;
}

// With the mutex held.
base::Result<> submit(Client& client, Context& context, const D3DKMT_PRESENT& args, dxgk::PresentCall& call) {
  auto& source = call.listed[DXGK_PRESENT_SOURCE_INDEX];
  auto& destination = call.listed[DXGK_PRESENT_DESTINATION_INDEX];
  if (args.Flags.Blt) source.view = TRY(find_allocation(client, context, args.hSource));
  destination.view = TRY(find_allocation(client, context, args.hDestination));
  destination.written = true;
  call.flags.Blt = args.Flags.Blt;
  call.flags.ColorFill = args.Flags.ColorFill;
  call.flags.LinearToSrgb = args.Flags.LinearToSrgb;
  call.color = args.Color;
  return dxgk::present(context, call);
}

}  // namespace

Answer serve::Present(Client& client, D3DKMT_PRESENT* user) {
  if (client.like_wsl()) return base::Failure(STATUS_NOT_SUPPORTED, "WSL has no such function");
  auto args = TRY(client.memory().read(user));
  base::Ref<Context> context = TRY(client.find<Context>(args.hContext));
  TRY(judge(args));
  RectScratch parts;
  ByteScratch data;
  TRY(parts.make(args.SubRectCnt));
  TRY(data.make(args.PrivateDriverDataSize));
  TRY(client.memory().read(parts.span(), args.pSrcSubRects));
  TRY(client.memory().read(data.span(), args.pPrivateDriverData));
  dxgk::PresentCall call;
  TRY(find_rectangles(args, parts.span(), call));
  std::vector<RECT> drawn;
  if (!dxgk::is_empty(call.to)) drawn = dxgk::destination_parts(call.from, call.to, parts.span());
  call.parts = drawn;
  call.private_data = data.span();
  dxgk::ParkingLock lock(context->device().mutex());
  return submit(client, *context, args, call);
}

}  // namespace kmt
