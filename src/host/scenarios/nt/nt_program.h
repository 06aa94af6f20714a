#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/scenarios/nt/nt_stack.h"
#include "nt/io/io_request.h"
#include "nt/ke/process.h"
#include "nt/mm/user_memory.h"

namespace host {

// One request of a program, before it is sent.
struct NtRequest {
  UCHAR major = IRP_MJ_DEVICE_CONTROL;
  ULONG code = 0;               // of controls
  ULONG in_bytes = 0;           // of controls
  ULONG out_bytes = 0;          // of controls; else of the one buffer
  LONGLONG offset = 0;          // of reads and writes
  ULONG information_class = 0;  // of requests for information
  // Where the buffers are: in the program's memory, at address 0, or where no memory is.
  enum class Pointers : uint8_t { Good, Null, Unmapped } pointers = Pointers::Good;
};

// A program that has one device open. What it has sent and not waited for is cancelled when it ends. One thread at a
// time; the stack outlives it.
class NtProgram {
 public:
  NtProgram(NtStack& stack, const std::string& name);
  ~NtProgram();  // closes the device; pending requests are cancelled and waited for
  NtProgram(const NtProgram&) = delete;
  NtProgram& operator=(const NtProgram&) = delete;

  // IRP_MJ_CREATE with this name behind the device's.
  bool open(DEVICE_OBJECT& device, std::u16string_view name = {});
  bool is_open() const { return handle_ != nullptr; }
  void close();

  // A request under way, with its buffers.
  class Sent {
   public:
    bool pending() const { return request_.pending(); }
    void cancel() { request_.cancel(); }

   private:
    friend class NtProgram;
    Sent(nt::Machine& machine, const NtRequest& request);

    UCHAR major_;
    nt::IoRequest request_;
    nt::UserMemory in_;
    nt::UserMemory out_;
    bool noted_ = false;
  };
  // Sends it, and does not wait. The program keeps it until it has ended. Null: nothing is open.
  Sent* start(const NtRequest& request);
  // Waits for so long; then it is cancelled and waited for again. A driver may keep a cancelled request until its file
  // is closed: then this gives up, and the end of the program waits. How it ended, or STATUS_TIMEOUT.
  NTSTATUS finish(Sent& sent, base::TimeNs patience = kPatience);
  // start(), then finish().
  NTSTATUS send(const NtRequest& request);

 private:
  static constexpr base::TimeNs kPatience = 100'000'000;
  static constexpr base::TimeNs kCancelPatience = 1'000'000'000;

  NTSTATUS dispatch(FILE_OBJECT& file, Sent& sent, const NtRequest& request);
  NTSTATUS note(Sent& sent);
  void forget_ended();

  NtStack& stack_;
  nt::Machine& machine_;
  nt::Process process_;
  HANDLE handle_ = nullptr;
  std::vector<std::unique_ptr<Sent>> sent_;
};

}  // namespace host
