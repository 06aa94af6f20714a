#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "abi/shared/d3dkmthk.h"
#include "kmt/client/client.h"
#include "kmt/client/thunks.h"

// Linux clients of D3DKMT are compiled with wchar_t for WCHAR, which has four bytes there (observed: Microsoft's
// headers for WSL); the kernel and its drivers know UTF-16 only. Structures with an array of WCHAR in them are larger
// for such a client, and its text is UTF-32.
namespace client::utf32 {

using Char = uint32_t;

// Both stop at the first zero. What is no Unicode becomes U+FFFD; `to` is filled up with zeros and always ends in one.
void narrow(std::span<char16_t> to, std::span<const Char> from);
void widen(std::span<Char> to, std::span<const char16_t> from);

// How large D3DKMTQueryAdapterInfo's data is for a Linux client; 0 where there is no text in it.
size_t query_bytes(KMTQUERYADAPTERINFOTYPE type);

// D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME as a Linux client has it.
struct GdiDisplayName {
  Char DeviceName[32];
  D3DKMT_HANDLE hAdapter;
  LUID AdapterLuid;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
};
static_assert(sizeof(GdiDisplayName) == 144);

// The thunks of these names for Linux clients: `user` points to the Linux layout of the structure, whatever the type
// says. In a name of OBJECT_ATTRIBUTES a character has four bytes too, and a UNICODE_STRING's lengths count those
// (policy: WSL looks at no names). Every other thunk is the same for all clients, and is found here too.
NTSTATUS QueryAdapterInfo(kmt::Client& client, D3DKMT_QUERYADAPTERINFO* user);
NTSTATUS OpenAdapterFromGdiDisplayName(kmt::Client& client, D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME* user);
NTSTATUS OpenAdapterFromDeviceName(kmt::Client& client, D3DKMT_OPENADAPTERFROMDEVICENAME* user);
NTSTATUS ShareObjects(kmt::Client& client, const kmt::ShareObjectsArgs* args);
NTSTATUS OpenNtHandleFromName(kmt::Client& client, D3DKMT_OPENNTHANDLEFROMNAME* user);
NTSTATUS OpenSyncObjectNtHandleFromName(kmt::Client& client, D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME* user);

using namespace kmt;

}  // namespace client::utf32
