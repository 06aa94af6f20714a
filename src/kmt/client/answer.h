#pragma once

#include "base/result.h"

namespace kmt {

// What a thunk answers: why it was refused, or STATUS_SUCCESS unless it succeeds in another way (STATUS_PENDING,
// STATUS_TIMEOUT, …).
class [[nodiscard]] Answer : public base::Result<NTSTATUS> {
 public:
  Answer() : Result(STATUS_SUCCESS) {}
  Answer(NTSTATUS success) : Result(success) {}
  Answer(base::Failure failure) : Result(failure) {}
  Answer(const base::Result<>& result) : Answer(result.ok() ? Answer() : Answer(result.failure())) {}
  Answer(const base::Result<NTSTATUS>& result) : Result(result) {}
};

}  // namespace kmt
