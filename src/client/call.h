#pragma once

#include "kmt/client/client.h"

namespace client {

class ClientThread;

// One call of one thread into the graphics kernel of this process, which the first of all calls builds. Owned by the
// exported function, on its stack.
//
//   Call call;
//   return call ? kmt::CreateDevice(call.client(), user) : call.refusal();
//
// Fork. The kernel stays the parent's: its threads do not exist in the child, and its memory is shared with the parent.
// In the child every call answers STATUS_INVALID_HANDLE and no ledger is written; a child that wants a kernel executes
// a program (policy; WSL's library opens the device anew instead).
//
// End. The kernel ends with the process, after the client's exit handlers. A call after that answers
// STATUS_PROCESS_IS_TERMINATING. A thread that does not come out of its call within a second cannot be ended from
// outside: then nothing is destroyed, and the ledger says so.
//
// Signals. A handler that interrupted a call of the same thread is refused: STATUS_UNSUCCESSFUL.
class [[nodiscard]] Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  explicit operator bool() const { return thread_ != nullptr; }
  NTSTATUS refusal() const { return refusal_; }
  kmt::Client& client();

 private:
  ClientThread* thread_ = nullptr;
  NTSTATUS refusal_ = STATUS_SUCCESS;
};

}  // namespace client
