#include "nt/boundary/last_call.h"

#include <algorithm>
#include <iterator>

#include "nt/mm/careful_copy.h"

namespace nt {
namespace {

// The structure that the last parameter pointed to.
struct Kept {
  const Thread* thread = nullptr;
  size_t parameter = 0;
  alignas(8) unsigned char bytes[256] = {};
};
thread_local Kept t_kept;

// Copies a structure that ends before unreadable memory, which is rare: 8 bytes at a time, up to the first failure.
void keep_what_is_there(const unsigned char* from) {
  constexpr size_t kStep = 8;
  std::fill(std::begin(t_kept.bytes), std::end(t_kept.bytes), static_cast<unsigned char>(0));
  for (size_t done = 0; done < sizeof(t_kept.bytes); done += kStep) {
    if (!careful_read(t_kept.bytes + done, from + done, kStep).ok()) return;
  }
}

}  // namespace

void keep_last_call(const Thread& thread) {
  const LastCall& call = thread.last_call;
  t_kept.thread = nullptr;
  if (call.shape.empty()) return;
  size_t last = call.shape.size() - 1;
  if (!call.shape[last].pointer || call.shape[last].type == "void" || !call.arguments[last]) return;
  const auto* from = reinterpret_cast<const unsigned char*>(call.arguments[last]);
  if (!careful_read(t_kept.bytes, from, sizeof(t_kept.bytes)).ok()) keep_what_is_there(from);
  t_kept.thread = &thread;
  t_kept.parameter = last;
}

// The memory that other parameters pointed to may be freed by now, so it is not read.
std::string describe_last_call(const Thread& thread) {
  LastCall call = thread.last_call;
  if (!call.name) return {};
  ParameterShape shape[std::size(call.arguments)];
  std::copy(call.shape.begin(), call.shape.end(), shape);
  for (size_t i = 0; i < call.shape.size(); ++i) {
    if (t_kept.thread == &thread && t_kept.parameter == i) {
      call.arguments[i] = reinterpret_cast<uintptr_t>(t_kept.bytes);
    } else if (shape[i].pointer) {
      shape[i].type = {};
    }
  }
  return "after " + describe_call(call.name, {shape, call.shape.size()}, call.arguments);
}

}  // namespace nt
