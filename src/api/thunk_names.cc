#include "api/thunk_names.h"

#include "drydock/client.h"

namespace drydock::internal {
namespace {

using kmt::ShareObjectsArgs;

constexpr size_t kArgumentBytes[] = {
#define THUNK(name, argument, file) sizeof(argument),
#define REFUSED(name) 0,
#include "kmt/client/thunks.def"
};

static_assert(sizeof(ShareObjectsArguments) == sizeof(ShareObjectsArgs) &&
              offsetof(ShareObjectsArguments, hObjects) == offsetof(ShareObjectsArgs, hObjects) &&
              offsetof(ShareObjectsArguments, pObjectAttributes) == offsetof(ShareObjectsArgs, pObjectAttributes) &&
              offsetof(ShareObjectsArguments, dwDesiredAccess) == offsetof(ShareObjectsArgs, dwDesiredAccess) &&
              offsetof(ShareObjectsArguments, phSharedNtHandle) == offsetof(ShareObjectsArgs, phSharedNtHandle));

}  // namespace

std::optional<NamedThunk> find_thunk(std::string_view name) {
  for (size_t i = 0; i < kmt::kThunkCount; ++i) {
    auto thunk = static_cast<kmt::Thunk>(i);
    if (name == kmt::thunk_name(thunk)) return NamedThunk{thunk, kArgumentBytes[i]};
  }
  return std::nullopt;
}

}  // namespace drydock::internal
