#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ks/device/device.h"
#include "ks/device/system.h"
#include "ks/stream/queue.h"
#include "ks/stream/stream_pointer.h"
#include "nt/io/irps.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace ks {

// For tests and benchmarks: a queue without a pin around it. Requests that leave it are completed.
class LoneQueue final : private Queue::Owner {
 public:
  struct Options {
    KSPIN_DATAFLOW flow = KSPIN_DATAFLOW_OUT;
    ULONG flags = 0;
    bool guard_frames = false;
    std::optional<RegisteredAdapter> adapter = std::nullopt;
  };

  LoneQueue(nt::Machine& machine, const Options& options)
      : machine_(machine), scope_(nt::ScopeKind::Pin, "a pin", &machine.root_scope()), adapter_(options.adapter) {
    void* memory = machine.pool().allocate(sizeof(KSPIN), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
    pin = static_cast<KSPIN*>(memory);
    descriptor_.Flags = options.flags;
    policy_.guard_frames = options.guard_frames;
    pin->Descriptor = &descriptor_;
    pin->DataFlow = options.flow;
    Queue::Owner& owner = *this;
    queue.emplace(Queue::Site{machine, policy_, *pin, &scope_, "the pin", adapter_, nullptr}, owner);
  }
  ~LoneQueue() {
    queue.reset();
    machine_.pool().free(pin, 0);
  }

  KSPIN* pin;
  std::optional<Queue> queue;
  uint32_t arrivals = 0, first_arrivals = 0;
  std::function<void(std::unique_ptr<StreamIrp>)> on_left = StreamIrp::complete;

 private:
  void arrived(bool first) override {
    ++arrivals;
    first_arrivals += first;
  }
  void left(std::unique_ptr<StreamIrp> irp) override { on_left(std::move(irp)); }

  nt::Machine& machine_;
  nt::Scope scope_;
  KSPIN_DESCRIPTOR_EX descriptor_{};
  Policy policy_;
  std::optional<RegisteredAdapter> adapter_;
};

// A client's request: headers and frames of its own, and an IRP that carries them. Lives until the IRP is completed.
class ClientRequest {
 public:
  struct Options {
    uint32_t frames = 1;
    uint32_t bytes = 64;
    uint32_t header_bytes = sizeof(KSSTREAM_HEADER);
    bool write = false;
  };

  explicit ClientRequest(nt::Machine& machine) : ClientRequest(machine, Options()) {}
  ClientRequest(nt::Machine& machine, const Options& options)
      : options_(options),
        data(size_t{options.frames} * options.bytes),
        headers_(options.frames * options.header_bytes / 8) {
    for (uint32_t i = 0; i < options.frames; ++i) {
      KSSTREAM_HEADER& each = header(i);
      each.Size = options.header_bytes;
      each.FrameExtent = options.bytes;
      each.Data = options.bytes ? data.data() + size_t{i} * options.bytes : nullptr;
      each.PresentationTime = {0, 1, 1};
    }
    prepare(machine);
  }
  // An IRP for it; once more after it has been completed.
  void prepare(nt::Machine& machine) {
    for (uint32_t i = 0; i < options_.frames; ++i) header(i).DataUsed = options_.write ? options_.bytes : 0;
    status = {};
    status.Status = STATUS_PENDING;
    irp = machine.irps().allocate(1);
    machine.irps().set_end(*irp, nt::Irps::End::Manager);
    irp->UserIosb = &status;
    irp->RequestorMode = UserMode;
    irp->UserBuffer = headers_.data();
    IoSetNextIrpStackLocation(irp);
    IO_STACK_LOCATION& location = *IoGetCurrentIrpStackLocation(irp);
    location.MajorFunction = IRP_MJ_DEVICE_CONTROL;
    auto& control = location.Parameters.DeviceIoControl;
    control.IoControlCode = options_.write ? IOCTL_KS_WRITE_STREAM : IOCTL_KS_READ_STREAM;
    control.OutputBufferLength = static_cast<ULONG>(headers_.size() * 8);
  }
  ClientRequest(const ClientRequest&) = delete;
  ClientRequest& operator=(const ClientRequest&) = delete;

  KSSTREAM_HEADER& header(uint32_t index = 0) {
    return *reinterpret_cast<KSSTREAM_HEADER*>(headers_.data() + index * options_.header_bytes / 8);
  }
  IO_STACK_LOCATION& location() { return *IoGetCurrentIrpStackLocation(irp); }
  // Judged and queued, as a pin does it.
  void send(Queue& queue) {
    auto probed = StreamIrp::probe(queue, *irp);
    CHECK(probed.ok());
    IoMarkIrpPending(irp);
    (void)queue.add(probed.take()).ok();
  }
  bool done() const { return status.Status != STATUS_PENDING; }

 private:
  const Options options_;

 public:
  std::vector<uint8_t> data;
  IO_STATUS_BLOCK status{};
  IRP* irp = nullptr;

 private:
  std::vector<uint64_t> headers_;
};

}  // namespace ks
