// A small user-mode display driver for Direct3D 9 that is right in what it does: an adapter, devices, resources that
// can be locked, shared and destroyed, and batches of commands that are submitted before the memory they use goes. Its
// commands do nothing yet. It works above softgpu's kernel-mode driver with patched addresses (softgpu_physical.so),
// whose softgpu_user.h says what the two say to each other; a driver of your own has its own such header.
#include <d3dumddi.h>
#include <softgpu_cmd.h>
#include <softgpu_user.h>
#include <stdlib.h>
#include <string.h>

namespace {

struct Device;

struct Surface {
  D3DKMT_HANDLE Allocation;  // 0: memory of the program
  void* SystemMemory;
  UINT Pitch;
  UINT Locks;  // of the allocation
};

// Surfaces that were created together and are destroyed together.
struct Resource {
  HANDLE Runtime;  // what callbacks call it
  UINT Batch;      // the last one that uses it
  Resource* Next;
  Resource** Link;  // what points to it
  bool Opened;      // another process made it
  UINT Count;
  Surface Surfaces[1];  // as many as there are
};

// What a draw reads and writes: targets, textures, streams, indices, the depth buffer.
enum Binding { FirstTarget = 0, FirstTexture = 4, FirstStream = 20, Indices = 36, Depth = 37, Bindings = 38 };

struct Device {
  HANDLE Runtime;
  D3DDDI_DEVICECALLBACKS Call;
  HANDLE Context;
  UINT Batch;  // the one that is being filled; the first is 1
  UCHAR* Commands;
  UINT CommandSize, CommandUsed;
  D3DDDI_ALLOCATIONLIST* Allocations;
  UINT AllocationSize, AllocationUsed;
  UINT PatchSize;  // the list itself is for commands with addresses
  Resource* Resources;
  Resource* Bound[Bindings];
};

Device& DeviceOf(HANDLE Handle) { return *static_cast<Device*>(Handle); }
Resource* ResourceOf(HANDLE Handle) { return static_cast<Resource*>(Handle); }

// --- Batches ---

// Without a new buffer the old one is still ours, with what is in it: a batch that could not be submitted waits.
HRESULT Submit(Device& Device) {
  if (Device.CommandUsed == 0) return S_OK;
  D3DDDICB_RENDER Args = {};
  Args.hContext = Device.Context;
  Args.CommandLength = Device.CommandUsed;
  Args.NumAllocations = Device.AllocationUsed;
  Args.NewCommandBufferSize = Device.CommandSize;
  Args.NewAllocationListSize = Device.AllocationSize;
  Args.NewPatchLocationListSize = Device.PatchSize;
  HRESULT Result = Device.Call.pfnRenderCb(Device.Runtime, &Args);
  if (FAILED(Result)) return Result;
  Device.Commands = static_cast<UCHAR*>(Args.pNewCommandBuffer);
  Device.CommandSize = Args.NewCommandBufferSize;
  Device.Allocations = Args.pNewAllocationList;
  Device.AllocationSize = Args.NewAllocationListSize;
  Device.PatchSize = Args.NewPatchLocationListSize;
  Device.CommandUsed = Device.AllocationUsed = 0;
  ++Device.Batch;
  return S_OK;
}

// What waits for the GPU has to be on its way to it.
HRESULT SubmitIfUsed(Device& Device, const Resource& Resource) {
  return Resource.Batch == Device.Batch ? Submit(Device) : S_OK;
}

void List(Device& Device, Resource& Resource) {
  if (Resource.Batch == Device.Batch) return;  // it is in the list
  Resource.Batch = Device.Batch;
  for (UINT i = 0; i < Resource.Count; ++i) {
    if (Resource.Surfaces[i].Allocation == 0) continue;
    D3DDDI_ALLOCATIONLIST Entry = {};
    Entry.hAllocation = Resource.Surfaces[i].Allocation;
    Entry.WriteOperation = 1;  // a real command knows better
    Device.Allocations[Device.AllocationUsed++] = Entry;
  }
}

// One command that uses these. Here it is a packet that does nothing; the patch list of a real one names the addresses
// in it.
HRESULT Command(Device& Device, Resource* const* Uses, UINT Count) {
  const SOFTGPU_HEADER Packet = softgpu_header(SOFTGPU_CMD_NOP, 0, sizeof(SOFTGPU_HEADER), 0);
  UINT Entries = 0;
  for (UINT i = 0; i < Count; ++i) Entries += Uses[i] ? Uses[i]->Count : 0;
  if (sizeof(Packet) > Device.CommandSize - Device.CommandUsed ||
      Entries > Device.AllocationSize - Device.AllocationUsed) {
    HRESULT Result = Submit(Device);
    if (FAILED(Result)) return Result;
  }
  if (Entries > Device.AllocationSize) return D3DERR_DRIVERINTERNALERROR;
  for (UINT i = 0; i < Count; ++i) {
    if (Uses[i]) List(Device, *Uses[i]);
  }
  memcpy(Device.Commands + Device.CommandUsed, &Packet, sizeof(Packet));
  Device.CommandUsed += sizeof(Packet);
  return S_OK;
}

HRESULT Draw(HANDLE hDevice) { return Command(DeviceOf(hDevice), DeviceOf(hDevice).Bound, Bindings); }

HRESULT APIENTRY DrawPrimitive(HANDLE hDevice, const D3DDDIARG_DRAWPRIMITIVE*, const UINT*) { return Draw(hDevice); }
HRESULT APIENTRY DrawIndexedPrimitive(HANDLE hDevice, const D3DDDIARG_DRAWINDEXEDPRIMITIVE*) { return Draw(hDevice); }
HRESULT APIENTRY Clear(HANDLE hDevice, const D3DDDIARG_CLEAR*, UINT, const RECT*) { return Draw(hDevice); }
HRESULT APIENTRY ColorFill(HANDLE hDevice, const D3DDDIARG_COLORFILL* Args) {
  Resource* Uses[] = {ResourceOf(Args->hResource)};
  return Command(DeviceOf(hDevice), Uses, 1);
}
HRESULT APIENTRY Blt(HANDLE hDevice, const D3DDDIARG_BLT* Args) {
  Resource* Uses[] = {ResourceOf(Args->hSrcResource), ResourceOf(Args->hDstResource)};
  return Command(DeviceOf(hDevice), Uses, 2);
}
HRESULT APIENTRY Flush(HANDLE hDevice) { return Submit(DeviceOf(hDevice)); }

// --- What is bound ---

HRESULT Bind(HANDLE hDevice, UINT First, UINT Index, UINT Count, HANDLE hResource) {
  if (Index >= Count) return hResource ? E_INVALIDARG : S_OK;
  DeviceOf(hDevice).Bound[First + Index] = ResourceOf(hResource);
  return S_OK;
}

HRESULT APIENTRY SetRenderTarget(HANDLE hDevice, const D3DDDIARG_SETRENDERTARGET* Args) {
  return Bind(hDevice, FirstTarget, Args->RenderTargetIndex, 4, Args->hRenderTarget);
}
HRESULT APIENTRY SetTexture(HANDLE hDevice, UINT Stage, HANDLE hTexture) {
  return Bind(hDevice, FirstTexture, Stage, 16, hTexture);
}
HRESULT APIENTRY SetStreamSource(HANDLE hDevice, const D3DDDIARG_SETSTREAMSOURCE* Args) {
  return Bind(hDevice, FirstStream, Args->Stream, 16, Args->hVertexBuffer);
}
HRESULT APIENTRY SetIndices(HANDLE hDevice, const D3DDDIARG_SETINDICES* Args) {
  return Bind(hDevice, Indices, 0, 1, Args->hIndexBuffer);
}
HRESULT APIENTRY SetDepthStencil(HANDLE hDevice, const D3DDDIARG_SETDEPTHSTENCIL* Args) {
  return Bind(hDevice, Depth, 0, 1, Args->hZBuffer);
}

// Nothing reads vertices yet, so one declaration serves for all.
HRESULT APIENTRY CreateVertexShaderDecl(HANDLE hDevice, D3DDDIARG_CREATEVERTEXSHADERDECL* Args,
                                        const D3DDDIVERTEXELEMENT*) {
  Args->ShaderHandle = hDevice;
  return S_OK;
}

// --- Resources ---

Resource* NewResource(HANDLE Runtime, UINT Count) {
  auto* Made = static_cast<Resource*>(calloc(1, sizeof(Resource) + Count * sizeof(Surface)));
  if (!Made) return nullptr;
  Made->Runtime = Runtime;
  Made->Count = Count;
  return Made;
}

void Add(Device& Device, Resource* Resource) {
  Resource->Next = Device.Resources;
  Resource->Link = &Device.Resources;
  if (Resource->Next) Resource->Next->Link = &Resource->Next;
  Device.Resources = Resource;
}

void Forget(Device& Device, Resource* Resource) {
  *Resource->Link = Resource->Next;
  if (Resource->Next) Resource->Next->Link = Resource->Link;
  for (auto& Each : Device.Bound) {
    if (Each == Resource) Each = nullptr;
  }
  free(Resource);
}

// Bytes of a pixel; 0: a format that this driver does not know.
UINT PixelSize(D3DDDIFORMAT Format) {
  switch (Format) {
    case D3DDDIFMT_A8R8G8B8:
    case D3DDDIFMT_X8R8G8B8:
    case D3DDDIFMT_D24X8:
      return 4;
    case D3DDDIFMT_R5G6B5:
      return 2;
    case D3DDDIFMT_VERTEXDATA:
    case D3DDDIFMT_INDEX16:
    case D3DDDIFMT_INDEX32:
      return 1;
    default:
      return 0;
  }
}

// What the kernel-mode driver makes of it is up to both of us. Members that do not belong to the kind of resource hold
// anything, and are not looked at.
SOFTGPU_ALLOCATION Describe(const D3DDDIARG_CREATERESOURCE& Args, const D3DDDI_SURFACEINFO& Info, UINT Pitch) {
  bool Buffer = Args.Flags.VertexBuffer || Args.Flags.IndexBuffer;
  UINT Flags = SOFTGPU_ALLOCATION_CPU_VISIBLE | SOFTGPU_ALLOCATION_CACHED;
  if (Args.Flags.SharedResource) Flags |= SOFTGPU_ALLOCATION_SHARED;
  SOFTGPU_ALLOCATION Data = softgpu_buffer(static_cast<UINT64>(Pitch) * (Buffer ? 1 : Info.Height), Flags, 0);
  if (Buffer) return Data;
  Data.width = Info.Width;
  Data.height = Info.Height;
  Data.pitch = Pitch;
  Data.format = Args.Format;
  return Data;
}

// All of a resource's allocations in one call: they exist together or not at all.
HRESULT Allocate(Device& Device, Resource& Resource, const D3DDDIARG_CREATERESOURCE& Args) {
  auto* Infos = static_cast<D3DDDI_ALLOCATIONINFO*>(calloc(Resource.Count, sizeof(D3DDDI_ALLOCATIONINFO)));
  auto* Data = static_cast<SOFTGPU_ALLOCATION*>(calloc(Resource.Count, sizeof(SOFTGPU_ALLOCATION)));
  HRESULT Result = Infos && Data ? S_OK : E_OUTOFMEMORY;
  for (UINT i = 0; SUCCEEDED(Result) && i < Resource.Count; ++i) {
    Data[i] = Describe(Args, Args.pSurfList[i], Resource.Surfaces[i].Pitch);
    Infos[i].pPrivateDriverData = &Data[i];
    Infos[i].PrivateDriverDataSize = sizeof(Data[i]);
  }
  if (SUCCEEDED(Result)) {
    D3DDDICB_ALLOCATE Call = {};
    Call.hResource = Resource.Runtime;
    Call.NumAllocations = Resource.Count;
    Call.pAllocationInfo = Infos;
    Result = Device.Call.pfnAllocateCb(Device.Runtime, &Call);
  }
  for (UINT i = 0; SUCCEEDED(Result) && i < Resource.Count; ++i) {
    Resource.Surfaces[i].Allocation = Infos[i].hAllocation;
  }
  free(Infos);
  free(Data);
  return Result;
}

HRESULT APIENTRY CreateResource(HANDLE hDevice, D3DDDIARG_CREATERESOURCE* Args) {
  UINT Size = PixelSize(Args->Format);
  if (Size == 0 || Args->SurfCount == 0 || Args->Flags.Primary) return E_INVALIDARG;
  Resource* Made = NewResource(Args->hResource, Args->SurfCount);
  if (!Made) return E_OUTOFMEMORY;
  bool System = Args->Pool == D3DDDIPOOL_SYSTEMMEM;
  for (UINT i = 0; i < Made->Count; ++i) {
    const D3DDDI_SURFACEINFO& Info = Args->pSurfList[i];
    Made->Surfaces[i].Pitch = System && Info.SysMemPitch ? Info.SysMemPitch : Info.Width * Size;
    if (System) Made->Surfaces[i].SystemMemory = const_cast<VOID*>(Info.pSysMem);
  }
  HRESULT Result = System ? S_OK : Allocate(DeviceOf(hDevice), *Made, *Args);
  if (FAILED(Result)) {
    free(Made);
    return Result;  // what a callback answered is handed on
  }
  Add(DeviceOf(hDevice), Made);
  Args->hResource = Made;
  return S_OK;
}

// Of one that another device created, all that is known is what its driver wrote into the private data.
HRESULT APIENTRY OpenResource(HANDLE hDevice, D3DDDIARG_OPENRESOURCE* Args) {
  Resource* Made = NewResource(Args->hResource, Args->NumAllocations);
  if (!Made) return E_OUTOFMEMORY;
  for (UINT i = 0; i < Made->Count; ++i) {
    const D3DDDI_OPENALLOCATIONINFO& Info = Args->pOpenAllocationInfo[i];
    const auto* Data = static_cast<const SOFTGPU_ALLOCATION*>(Info.pPrivateDriverData);
    if (Info.PrivateDriverDataSize != sizeof(*Data) || Data->magic != SOFTGPU_USER_MAGIC) {
      free(Made);
      return E_INVALIDARG;
    }
    Made->Surfaces[i].Allocation = Info.hAllocation;
    Made->Surfaces[i].Pitch = Data->width ? Data->pitch : static_cast<UINT>(Data->bytes);
  }
  Made->Opened = true;
  Add(DeviceOf(hDevice), Made);
  Args->hResource = Made;
  return S_OK;
}

HRESULT Unlock(Device& Device, Surface& Surface) {
  D3DDDICB_UNLOCK Args = {1, &Surface.Allocation};
  HRESULT Result = Device.Call.pfnUnlockCb(Device.Runtime, &Args);
  if (SUCCEEDED(Result)) --Surface.Locks;
  return Result;
}

// First the commands that use it, then the memory; and the memory by the resource's name, so that nothing is left. What
// fails leaves the resource to DestroyDevice.
HRESULT Destroy(Device& Device, Resource* Resource) {
  HRESULT Result = SubmitIfUsed(Device, *Resource);
  for (UINT i = 0; i < Resource->Count; ++i) {  // locks that could not be ended before
    while (SUCCEEDED(Result) && Resource->Surfaces[i].Locks) Result = Unlock(Device, Resource->Surfaces[i]);
  }
  if (FAILED(Result)) return Result;
  if (Resource->Surfaces[0].Allocation) {
    D3DDDICB_DEALLOCATE Args = {};
    Args.hResource = Resource->Runtime;
    Result = Device.Call.pfnDeallocateCb(Device.Runtime, &Args);
    if (FAILED(Result)) return Result;
  }
  Forget(Device, Resource);
  return S_OK;
}

HRESULT APIENTRY DestroyResource(HANDLE hDevice, HANDLE hResource) {
#ifdef FORGETS_MEMORY
  // The mistake that ../gtest/umd_test.cc looks for.
  Forget(DeviceOf(hDevice), ResourceOf(hResource));
  return S_OK;
#else
  return Destroy(DeviceOf(hDevice), ResourceOf(hResource));
#endif
}

HRESULT APIENTRY Lock(HANDLE hDevice, D3DDDIARG_LOCK* Args) {
  Device& Device = DeviceOf(hDevice);
  Resource& Resource = *ResourceOf(Args->hResource);
  if (Args->SubResourceIndex >= Resource.Count) return E_INVALIDARG;
  // Only the process that made it may lock it; a driver that wants to do better copies it to memory of its own.
  if (Resource.Opened) return D3DDDIERR_NOTAVAILABLE;
  Surface& Surface = Resource.Surfaces[Args->SubResourceIndex];
  Args->Pitch = Args->SlicePitch = Surface.Pitch;
  Args->pSurfData = Surface.SystemMemory;
  HRESULT Result = SubmitIfUsed(Device, Resource);
  if (FAILED(Result) || Surface.Allocation == 0) return Result;
  D3DDDICB_LOCK Call = {};
  Call.hAllocation = Surface.Allocation;
  Call.Flags.LockEntire = 1;
  Call.Flags.DonotWait = Args->Flags.DoNotWait;
  Result = Device.Call.pfnLockCb(Device.Runtime, &Call);
  if (FAILED(Result)) return Result;
  Args->pSurfData = Call.pData;
  ++Surface.Locks;
  return S_OK;
}

HRESULT APIENTRY Unlock(HANDLE hDevice, const D3DDDIARG_UNLOCK* Args) {
  Resource& Resource = *ResourceOf(Args->hResource);
  if (Args->SubResourceIndex >= Resource.Count) return E_INVALIDARG;
  Surface& Surface = Resource.Surfaces[Args->SubResourceIndex];
  return Surface.Allocation ? Unlock(DeviceOf(hDevice), Surface) : S_OK;
}

// --- The device ---

HRESULT CreateContext(Device& Device) {
  D3DDDICB_CREATECONTEXT Args = {};
  Args.EngineAffinity = 1;
  HRESULT Result = Device.Call.pfnCreateContextCb(Device.Runtime, &Args);
  if (FAILED(Result)) return Result;
  Device.Context = Args.hContext;
  Device.Batch = 1;
  Device.Commands = static_cast<UCHAR*>(Args.pCommandBuffer);
  Device.CommandSize = Args.CommandBufferSize;
  Device.Allocations = Args.pAllocationList;
  Device.AllocationSize = Args.AllocationListSize;
  Device.PatchSize = Args.PatchLocationListSize;
  return S_OK;
}

// A step of the end that fails is taken once more.
template <typename Function>
HRESULT Insist(Function&& Step) {
  HRESULT Result = Step();
  return FAILED(Result) ? Step() : Result;
}

// The device ends whatever fails on the way. What could not be destroyed before is destroyed now. Commands that could
// not be submitted are dropped.
HRESULT APIENTRY DestroyDevice(HANDLE hDevice) {
  Device& Device = DeviceOf(hDevice);
  HRESULT Result = Insist([&] { return Submit(Device); });
  ++Device.Batch;
  for (Resource *Each = Device.Resources, *Next; Each; Each = Next) {
    Next = Each->Next;
    if (FAILED(Insist([&] { return Destroy(Device, Each); }))) Forget(Device, Each);
  }
  D3DDDICB_DESTROYCONTEXT Args = {Device.Context};
  HRESULT Ended = Insist([&] { return Device.Call.pfnDestroyContextCb(Device.Runtime, &Args); });
  free(&Device);
  return FAILED(Result) ? Result : Ended;
}

// --- The table: every function that a driver of Windows Vista has ---

template <typename Function>
struct Always;
template <typename... Arguments>
struct Always<HRESULT(APIENTRY*)(Arguments...)> {
  template <HRESULT Answer>
  static HRESULT APIENTRY Say(Arguments...) {
    return Answer;
  }
};

VOID Fill(D3DDDI_DEVICEFUNCS* Table) {
#define HAS(Name) Table->pfn##Name = Name
#define ACCEPTS(Name) Table->pfn##Name = Always<decltype(Table->pfn##Name)>::Say<S_OK>
#define LACKS(Name) Table->pfn##Name = Always<decltype(Table->pfn##Name)>::Say<D3DERR_NOTAVAILABLE>
  HAS(CreateResource), HAS(OpenResource), HAS(DestroyResource), HAS(Lock), HAS(Unlock);
  HAS(SetRenderTarget), HAS(SetDepthStencil), HAS(SetTexture), HAS(SetStreamSource), HAS(SetIndices);
  HAS(DrawPrimitive), HAS(DrawIndexedPrimitive), HAS(Clear), HAS(ColorFill), HAS(Blt), HAS(Flush), HAS(DestroyDevice);
  // State that commands would look at.
  ACCEPTS(SetRenderState), ACCEPTS(UpdateWInfo), ACCEPTS(SetTextureStageState), ACCEPTS(MultiplyTransform);
  ACCEPTS(SetTransform), ACCEPTS(SetViewport), ACCEPTS(SetZRange), ACCEPTS(SetScissorRect), ACCEPTS(SetClipPlane);
  ACCEPTS(SetMaterial), ACCEPTS(SetLight), ACCEPTS(CreateLight), ACCEPTS(DestroyLight);
  ACCEPTS(SetPixelShader), ACCEPTS(SetPixelShaderConst), ACCEPTS(SetPixelShaderConstI), ACCEPTS(SetPixelShaderConstB);
  ACCEPTS(SetVertexShaderFunc), ACCEPTS(SetVertexShaderConst), ACCEPTS(SetVertexShaderConstI);
  ACCEPTS(SetVertexShaderConstB), HAS(CreateVertexShaderDecl), ACCEPTS(DeleteVertexShaderDecl);
  ACCEPTS(SetVertexShaderDecl), ACCEPTS(SetStreamSourceUm), ACCEPTS(SetStreamSourceFreq), ACCEPTS(SetIndicesUm);
  ACCEPTS(SetPriority), ACCEPTS(QueryResourceResidency);
  // What there is none of.
  LACKS(ValidateDevice), LACKS(StateSet), LACKS(UpdatePalette), LACKS(SetPalette), LACKS(GetInfo);
  LACKS(DrawRectPatch), LACKS(DrawTriPatch), LACKS(DrawPrimitive2), LACKS(DrawIndexedPrimitive2), LACKS(DepthFill);
  LACKS(VolBlt), LACKS(BufBlt), LACKS(TexBlt), LACKS(ComposeRects), LACKS(GenerateMipSubLevels), LACKS(Present);
  LACKS(SetConvolutionKernelMono), LACKS(CreateQuery), LACKS(DestroyQuery), LACKS(IssueQuery), LACKS(GetQueryData);
  LACKS(CreatePixelShader), LACKS(DeletePixelShader), LACKS(CreateVertexShaderFunc), LACKS(DeleteVertexShaderFunc);
  LACKS(CreateDecodeDevice), LACKS(DestroyDecodeDevice), LACKS(SetDecodeRenderTarget), LACKS(DecodeBeginFrame);
  LACKS(DecodeEndFrame), LACKS(DecodeExecute), LACKS(DecodeExtensionExecute), LACKS(CreateVideoProcessDevice);
  LACKS(DestroyVideoProcessDevice), LACKS(VideoProcessBeginFrame), LACKS(VideoProcessEndFrame), LACKS(VideoProcessBlt);
  LACKS(SetVideoProcessRenderTarget), LACKS(CreateExtensionDevice), LACKS(DestroyExtensionDevice);
  LACKS(ExtensionExecute), LACKS(CreateOverlay), LACKS(UpdateOverlay), LACKS(FlipOverlay), LACKS(DestroyOverlay);
  LACKS(GetOverlayColorControls), LACKS(SetOverlayColorControls), LACKS(GetCaptureAllocationHandle);
  LACKS(CaptureToSysMem), LACKS(SetDisplayMode);
}

// --- The adapter ---

HRESULT APIENTRY CreateDevice(HANDLE, D3DDDIARG_CREATEDEVICE* Args) {
  auto* Made = static_cast<Device*>(calloc(1, sizeof(Device)));
  if (!Made) return E_OUTOFMEMORY;
  Made->Runtime = Args->hDevice;
  memcpy(&Made->Call, Args->pCallbacks, offsetof(D3DDDI_DEVICECALLBACKS, pfnOfferAllocationsCb));  // those of Vista
  HRESULT Result = CreateContext(*Made);
  if (FAILED(Result)) {
    free(Made);
    return Result;
  }
  Fill(Args->pDeviceFuncs);
  Args->hDevice = Made;
  return S_OK;
}

HRESULT APIENTRY CloseAdapter(HANDLE) { return S_OK; }

const FORMATOP Formats[] = {
    {D3DDDIFMT_A8R8G8B8, FORMATOP_TEXTURE | FORMATOP_OFFSCREEN_RENDERTARGET | FORMATOP_OFFSCREENPLAIN, 0, 0, 0},
    {D3DDDIFMT_X8R8G8B8, FORMATOP_TEXTURE | FORMATOP_OFFSCREEN_RENDERTARGET | FORMATOP_OFFSCREENPLAIN, 0, 0, 0},
    {D3DDDIFMT_R5G6B5, FORMATOP_TEXTURE | FORMATOP_OFFSCREENPLAIN, 0, 0, 0},
    {D3DDDIFMT_D24X8, FORMATOP_ZSTENCIL, 0, 0, 0},
};

HRESULT APIENTRY GetCaps(HANDLE, const D3DDDIARG_GETCAPS* Args) {
  UINT Count = sizeof(Formats) / sizeof(Formats[0]);
  memset(Args->pData, 0, Args->DataSize);
  if (Args->Type == D3DDDICAPS_GETFORMATCOUNT && Args->DataSize >= sizeof(Count)) {
    memcpy(Args->pData, &Count, sizeof(Count));
  } else if (Args->Type == D3DDDICAPS_GETFORMATDATA) {
    memcpy(Args->pData, Formats, min(sizeof(Formats), static_cast<size_t>(Args->DataSize)));
  }
  return S_OK;
}

}  // namespace

// Where the runtime comes in. There is nothing to remember about the adapter; its handle only has to be one.
extern "C" HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER* Args) {
  static char Adapter;
  Args->pAdapterFuncs->pfnGetCaps = GetCaps;
  Args->pAdapterFuncs->pfnCreateDevice = CreateDevice;
  Args->pAdapterFuncs->pfnCloseAdapter = CloseAdapter;
  Args->DriverVersion = D3D_UMD_INTERFACE_VERSION_VISTA;
  Args->hAdapter = &Adapter;
  return S_OK;
}
