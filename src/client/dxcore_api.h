#pragma once

// Microsoft's DXCore interfaces for Linux. No header of abi/ goes with them: both define the same Windows types.
// clang-format off
#include <wsl/winadapter.h>  // in the place of windows.h, which the other would ask for
#include <directx/dxcore.h>
// clang-format on

// What __uuidof answers for them, which the headers leave to a library of identifiers.
__CRT_UUID_DECL(IDXCoreAdapterFactory, 0x78ee5945, 0xc36e, 0x4b13, 0xa6, 0x69, 0x00, 0x5d, 0xd1, 0x1c, 0x0f, 0x06)
__CRT_UUID_DECL(IDXCoreAdapterList, 0x526c7776, 0x40e9, 0x459b, 0xb7, 0x11, 0xf3, 0x2a, 0xd7, 0x6d, 0xfc, 0x28)
__CRT_UUID_DECL(IDXCoreAdapter, 0xf0db4c7f, 0xfe5a, 0x42a2, 0xbd, 0x62, 0xf2, 0xa6, 0xcf, 0x6f, 0xc8, 0x3e)
