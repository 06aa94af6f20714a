#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ks/object/file_node.h"
#include "ks/object/filter.h"
#include "ks/object/object.h"
#include "ks/stream/queue.h"

namespace ks {

class AllocatorNode;
class Automation;
class ClockNode;
class DefaultClock;
class Pipe;
class Processor;
class ReferenceClock;

// Where the requests go that leave a pin's queue: back to the client, or on along a circuit. Any IRQL up to
// DISPATCH_LEVEL; no lock is held.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual void take(std::unique_ptr<StreamIrp> irp) = 0;
};

// A pin: an open file below a filter's. Everything but the queue is guarded by the filter's control mutex. Owned by its
// file.
class Pin final : public Object, public FileNode, private Queue::Owner {
 public:
  static constexpr KSOBJECTTYPE kType = KsObjectTypePin;

  ~Pin() override;

  KSPIN& operator*() { return *body_; }
  void* body() override { return body_; }
  Device& device() override { return filter_.device(); }
  Filter& filter() { return filter_; }
  PinFactory& factory() { return factory_; }
  ControlMutex& control() override { return filter_.control(); }
  // The pin's own copy after KsEdit, else the factory's.
  const KSPIN_DESCRIPTOR_EX& descriptor() const { return *body_->Descriptor; }
  const KSPIN_DISPATCH* dispatch() const { return body_->Descriptor->Dispatch; }
  bool has_flag(ULONG flag) const { return descriptor().Flags & flag; }
  uint32_t id() const { return factory_.id; }
  FILE_OBJECT& file() { return *file_; }
  KPROCESSOR_MODE opened_by() const { return opened_by_; }  // created by a program, or by the kernel
  const Automation& automation() const { return *automation_; }

  // Data flows into the filter.
  bool input() const { return body_->DataFlow == KSPIN_DATAFLOW_IN; }
  // Clients send their requests to it (a sink of IRPs); otherwise it sends its own to the pin it is connected to.
  bool is_sink() const { return peer_file_ == nullptr; }
  bool standard_transport() const;

  Queue& queue() { return *queue_; }
  bool has_queue() const { return queue_ != nullptr; }  // from Create on
  // The pin's own, or its filter's where the driver processes per filter; null when the driver processes neither.
  Processor* processor();
  Processor* own_processor() { return processor_.get(); }

  // --- State; pin_state.cc. Under the control mutex ---
  KSSTATE state() const { return state_; }  // where the client has it
  base::Result<> set_state(KSSTATE to);
  // IOCTL_KS_RESET_STATE, and the flush when a stream stops.
  base::Result<> reset(KSRESET to);
  bool resetting() const { return body_->ResetState == KSRESET_BEGIN; }
  // IOCTL_KS_READ_STREAM and IOCTL_KS_WRITE_STREAM.
  NTSTATUS stream(IRP& irp);
  // One SetDeviceState of the driver, with ClientState and DeviceState as documented; the pipe calls this too.
  NTSTATUS step_state(KSSTATE to, KSSTATE from);

  // --- Format; pin_format.cc. Under the control mutex ---
  // KSPROPERTY_CONNECTION_DATAFORMAT.
  base::Result<> set_format(const KSDATAFORMAT& format);
  const KSDATAFORMAT& format() const { return *body_->ConnectionFormat; }

  // --- Connection ---
  // The sink that this source is connected to, or the source that is connected to this sink; null for one that a
  // program or another driver drives.
  Pin* peer() { return peer_; }
  FILE_OBJECT* peer_file() { return peer_file_; }  // of a source: the sink's, referenced
  Pipe* pipe() { return pipe_.get(); }             // of both ends, while there is one
  void join(std::shared_ptr<Pipe> pipe) { pipe_ = std::move(pipe); }
  void leave_pipe() { pipe_.reset(); }
  void set_transport(Transport* transport) { transport_ = transport; }  // null: back to the client
  // A request of the class's own (a requester's, an injected frame) enters the queue.
  base::Result<> accept(std::unique_ptr<StreamIrp> irp) { return queue_->add(std::move(irp)); }

  // KSPROPERTY_STREAM_ALLOCATOR: the allocator's file, referenced until another is assigned or the pin closes.
  FILE_OBJECT* allocator_file() { return allocator_file_; }
  void assign_allocator(FILE_OBJECT* file);
  // KSPROPERTY_STREAM_MASTERCLOCK, in the same way.
  FILE_OBJECT* clock_file() { return clock_file_; }
  void assign_clock(FILE_OBJECT* file);
  // The clock that it provides, made when it is first asked for; null: it provides none. Its time follows the state.
  DefaultClock* own_clock();
  ReferenceClock* reference_clock() { return reference_clock_.get(); }
  void give_reference_clock(std::unique_ptr<ReferenceClock> clock);

  // The hardware was pulled out: requests come back, the stream stops.
  void device_gone();

  // A private protocol of two pins' drivers; pin_handshake.cc.
  void set_handshake(PFNKSPINHANDSHAKE routine) { handshake_ = routine; }
  NTSTATUS handshake(KSHANDSHAKE& in, KSHANDSHAKE& out);

  // Checks the members of KSPIN that only the class may change: reports a change by the driver (L-04) and undoes it.
  void check_fields();

  // FileNode
  NodeKind kind() const override { return NodeKind::Pin; }
  NTSTATUS create_child(IRP& irp, const GUID& class_id, const uint8_t* parameters, size_t bytes) override;
  NTSTATUS device_control(IRP& irp) override;
  void cleanup(IRP& irp) override;
  NTSTATUS close(IRP& irp) override;
  void pended(UCHAR major, NTSTATUS status) override;

  // IRP_MJ_CREATE below a filter; pin_create.cc. Under the control mutex.
  static NTSTATUS create(Filter& filter, IRP& irp, const uint8_t* parameters, size_t bytes);

 private:
  struct Connect;  // a KSPIN_CONNECT that was judged
  Pin(Filter& filter, PinFactory& factory, FILE_OBJECT& file, KPROCESSOR_MODE opened_by, std::string name);
  base::Result<> take(const Connect& connect);
  base::Result<> choose_format(const KSDATAFORMAT& format, KSDATAFORMAT* old);
  void put_format(KSDATAFORMAT* format);
  void judge_edited();
  base::Result<> connect_peer();
  NTSTATUS reset_request(IRP& irp);      // IOCTL_KS_RESET_STATE; pin_state.cc
  NTSTATUS handshake_request(IRP& irp);  // IOCTL_KS_HANDSHAKE
  // Whether a driver's failure stops a change of state: it stops a client's request, not the end of a stream.
  enum class Refusal : uint8_t { Heeded, Ignored };
  base::Result<> may_rise();
  base::Result<> change_state(KSSTATE to, Refusal refusal);
  base::Result<> rise(KSSTATE to);
  base::Result<> fall(KSSTATE to, Refusal refusal);
  void tell_target(KSSTATE state);
  void state_changed();
  void tell_clock();  // pin_clock.cc
  void settle();
  void assign_file(FILE_OBJECT*& slot, FILE_OBJECT* file);
  void assign_peer_file(FILE_OBJECT* file);
  NTSTATUS open(IRP& irp, const Connect& connect);
  class BothEnds;
  void disconnect();
  void stop();
  void end();

  // Queue::Owner
  void arrived(bool first) override;
  void left(std::unique_ptr<StreamIrp> irp) override;

  // A copy of the members that only the class may change.
  struct Shadow {
    KSSTATE device_state = KSSTATE_STOP;
    KSRESET reset_state = KSRESET_END;
    PKSDATAFORMAT format = nullptr;
  };

  Filter& filter_;
  PinFactory& factory_;
  FILE_OBJECT* const file_;
  const KPROCESSOR_MODE opened_by_;
  KSPIN* const body_;
  std::unique_ptr<Automation> automation_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Processor> processor_;
  std::shared_ptr<DefaultClock> own_clock_;
  std::unique_ptr<ReferenceClock> reference_clock_;
  Shadow shadow_{};
  KSSTATE state_ = KSSTATE_STOP;
  bool opened_ = false;  // the driver's Create succeeded
  Pin* peer_ = nullptr;
  FILE_OBJECT* peer_file_ = nullptr;
  std::shared_ptr<Pipe> pipe_;
  Transport* transport_ = nullptr;
  FILE_OBJECT* allocator_file_ = nullptr;
  FILE_OBJECT* clock_file_ = nullptr;
  PFNKSPINHANDSHAKE handshake_ = nullptr;
};

}  // namespace ks
