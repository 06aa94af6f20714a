#pragma once

#include <initializer_list>
#include <vector>

#include "dxgk/testing/counting_event.h"
#include "kmt/testing/kmt_fixture.h"

namespace kmt::testing {

using dxgk::testing::CountingEvent;

// For tests of signals and waits: objects, events and the calls of the CPU.
class SyncTest : public KmtTest {
 protected:
  static D3DKMT_CREATESYNCHRONIZATIONOBJECT2 object_args(Program& program, D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type,
                                                         uint64_t value = 0) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
    args.hDevice = program.device;
    args.Info.Type = type;
    if (type == D3DDDI_SEMAPHORE) args.Info.Semaphore.MaxCount = 8;
    if (type == D3DDDI_FENCE || type == D3DDDI_MONITORED_FENCE) args.Info.Fence.FenceValue = value;
    return args;
  }
  static D3DKMT_HANDLE make(Program& program, D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args) {
    CHECK(CreateSynchronizationObject2(program.client, &args) == STATUS_SUCCESS);
    return args.hSyncObject;
  }
  static D3DKMT_HANDLE make(Program& program, D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type, uint64_t value = 0) {
    return make(program, object_args(program, type, value));
  }
  static D3DKMT_HANDLE fence(Program& program, uint64_t value = 0) {
    return make(program, D3DDDI_MONITORED_FENCE, value);
  }
  // An auto-reset event, and the client's handle to it.
  struct Event {
    base::Ref<CountingEvent> object;
    HANDLE handle;
    bool take() const { return object->take(); }
  };
  Event event(Program& program) {
    auto made = CountingEvent::create(kernel().ordinals());
    base::Ref<CountingEvent> object = made.ref();
    return {object, program.handles.publish(std::move(made)).take()};
  }

  struct Term {
    D3DKMT_HANDLE object;
    uint64_t value;
  };
  // One call's lists, as they lie in the client's memory.
  struct Lists {
    explicit Lists(std::vector<Term> terms) {
      for (const Term& term : terms) {
        handles.push_back(term.object);
        values.push_back(term.value);
      }
    }
    UINT count() const { return static_cast<UINT>(handles.size()); }
    std::vector<D3DKMT_HANDLE> handles;
    std::vector<UINT64> values;
  };
  static NTSTATUS signal(Program& program, std::vector<Term> terms, D3DDDICB_SIGNALFLAGS flags = {}) {
    Lists lists(std::move(terms));
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.hDevice = program.device;
    args.ObjectCount = lists.count();
    args.ObjectHandleArray = lists.handles.data();
    args.FenceValueArray = lists.values.data();
    args.Flags = flags;
    return SignalSynchronizationObjectFromCpu(program.client, &args);
  }
  static NTSTATUS wait(Program& program, std::vector<Term> terms, HANDLE event, bool any = false) {
    Lists lists(std::move(terms));
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.hDevice = program.device;
    args.ObjectCount = lists.count();
    args.ObjectHandleArray = lists.handles.data();
    args.FenceValueArray = lists.values.data();
    args.hAsyncEvent = event;
    args.Flags.WaitAny = any;
    return WaitForSynchronizationObjectFromCpu(program.client, &args);
  }
  static D3DDDICB_SIGNALFLAGS rewind() {
    D3DDDICB_SIGNALFLAGS flags{};
    flags.AllowFenceRewind = 1;
    return flags;
  }
  static NTSTATUS destroy(Program& program, D3DKMT_HANDLE object) {
    D3DKMT_DESTROYSYNCHRONIZATIONOBJECT args{.hSyncObject = object};
    return DestroySynchronizationObject(program.client, &args);
  }
};

// Types that only the queues of the GPU signal and wait for.
inline constexpr D3DDDI_SYNCHRONIZATIONOBJECT_TYPE kForQueues[] = {D3DDDI_SYNCHRONIZATION_MUTEX, D3DDDI_SEMAPHORE,
                                                                   D3DDDI_FENCE};

}  // namespace kmt::testing
