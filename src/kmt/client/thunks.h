#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/shared/d3dkmthk.h"
#include "kmt/client/client.h"

// The D3DKMT functions, generated from thunks.def. Each copies its argument in, judges it, looks up what it names,
// calls the graphics kernel and copies out. A call that fails writes nothing to the client's memory, unless a comment
// there says what Windows does. Called on a thread of the client's machine, at PASSIVE_LEVEL.
namespace kmt {

// D3DKMTShareObjects takes its arguments one by one.
struct ShareObjectsArgs {
  UINT cObjects;
  const D3DKMT_HANDLE* hObjects;
  OBJECT_ATTRIBUTES* pObjectAttributes;
  DWORD dwDesiredAccess;
  HANDLE* phSharedNtHandle;
};

#define THUNK(name, argument, file) NTSTATUS name(Client& client, argument* user);
#include "kmt/client/thunks.def"

// What each of them does, in its own file. The function above is this, and the client's record of what was refused.
namespace serve {
#define THUNK(name, argument, file) Answer name(Client& client, argument* user);
#include "kmt/client/thunks.def"
}  // namespace serve

enum class Thunk : uint16_t {
#define THUNK(name, argument, file) name,
#define REFUSED(name) name,
#include "kmt/client/thunks.def"
};
inline constexpr size_t kThunkCount = 0
#define THUNK(name, argument, file) +1
#define REFUSED(name) +1
#include "kmt/client/thunks.def"
    ;

// "D3DKMTCreateDevice".
const char* thunk_name(Thunk thunk);
bool implemented(Thunk thunk);
// One by number. `user` points to its argument, as the client has it.
NTSTATUS call(Client& client, Thunk thunk, void* user);

}  // namespace kmt
