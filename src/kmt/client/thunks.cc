#include "kmt/client/thunks.h"

namespace kmt {

#define THUNK(name, argument, file) \
  NTSTATUS name(Client& client, argument* user) { return client.finish("D3DKMT" #name, serve::name(client, user)); }
#include "kmt/client/thunks.def"

namespace {

struct Row {
  const char* name;
  NTSTATUS (*call)(Client& client, void* user);  // null: not supported
};

constexpr Row kRows[] = {
#define THUNK(name, argument, file) \
  {"D3DKMT" #name, [](Client& client, void* user) { return name(client, static_cast<argument*>(user)); }},
#define REFUSED(name) {"D3DKMT" #name, nullptr},
#include "kmt/client/thunks.def"
};
static_assert(sizeof(kRows) / sizeof(kRows[0]) == kThunkCount);

const Row& row(Thunk thunk) {
  size_t index = static_cast<size_t>(thunk);
  CHECK(index < kThunkCount);
  return kRows[index];
}

}  // namespace

const char* thunk_name(Thunk thunk) { return row(thunk).name; }

bool implemented(Thunk thunk) { return row(thunk).call != nullptr; }

NTSTATUS call(Client& client, Thunk thunk, void* user) {
  const Row& found = row(thunk);
  if (found.call) return found.call(client, user);
  return client.finish(found.name, base::Failure(STATUS_NOT_SUPPORTED, "the graphics kernel has no such function"));
}

}  // namespace kmt
