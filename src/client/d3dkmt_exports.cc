// Every D3DKMT function of kmt/client/thunks.def, as a Linux client links to it.
#include "client/call.h"
#include "client/utf32_thunks.h"
#include "kmt/client/thunks.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using kmt::ShareObjectsArgs;

// The one function whose arguments come one by one is served by a structure like the others; its own form is below.
#define D3DKMTShareObjects share_objects

#define THUNK(name, argument, file)                                          \
  EXPORTED NTSTATUS D3DKMT##name(argument* user) {                           \
    client::Call call;                                                       \
    return call ? client::utf32::name(call.client(), user) : call.refusal(); \
  }
// Refused functions take void*: their argument is never read. The function has another name here, so that it need not
// agree with its declaration.
#define REFUSED(name)                                                                \
  EXPORTED NTSTATUS refused_##name(void* user) __asm__("D3DKMT" #name);              \
  NTSTATUS refused_##name(void* user) {                                              \
    client::Call call;                                                               \
    return call ? kmt::call(call.client(), kmt::Thunk::name, user) : call.refusal(); \
  }
#include "kmt/client/thunks.def"

#undef D3DKMTShareObjects

EXPORTED NTSTATUS D3DKMTShareObjects(UINT count, const D3DKMT_HANDLE* objects, const OBJECT_ATTRIBUTES* attributes,
                                     UINT desired_access, HANDLE* shared_handle) {
  ShareObjectsArgs args{count, objects, const_cast<OBJECT_ATTRIBUTES*>(attributes), desired_access, shared_handle};
  return share_objects(&args);
}
