#pragma once

#include <boost/container/small_vector.hpp>
#include <memory>
#include <string>
#include <vector>

#include "abi/um/d3dumddi.h"
#include "kmt/client/client.h"
#include "nt/boundary/driver_call.h"
#include "umd/common/allocations.h"
#include "umd/common/context.h"
#include "umd/common/pending_commands.h"
#include "umd/common/runtime.h"

namespace umd {

// Which version of Windows a table belongs to, oldest first.
enum class Era : uint8_t { Vista, Win7, Win8, Wddm13, Wddm20, Wddm21, Wddm22, Wddm23, Wddm24 };

enum class Callback : uint8_t {
#define UMD_CALLBACK(name, era) name,
#include "umd/callbacks/device_callbacks.def"
#undef UMD_CALLBACK
  None
};
const char* name_of(Callback callback);  // "pfnAllocateCb"

// The kind of the driver's function that is running, as far as callbacks need it.
enum class Role : uint8_t { Other, Create, Open, Destroy, Flush, DestroyDevice, Draw, Present };

// A call into the driver that has not returned. Lives on the caller's stack, on the device's list.
struct Frame {
  const char* name = "";
  Role role = Role::Other;
  Resource* resource = nullptr;  // that is created, opened or destroyed
  nt::Thread* thread = nullptr;
  PendingCommands::Count submissions{};  // of the device, when it began
  bool may_wait = true;                  // for the GPU, as far as what it was asked for says
  bool waited = false;                   // a callback made the thread wait for the GPU
  bool released = false;                 // after that, a callback released memory of something destroyed
  bool pending = false;                  // a callback answered that what it was asked for is on its way
  bool discard_busy = false;             // a lock that discards found no memory to give, and was not tried again
  bool found = false;                    // something was found in it: its result says nothing any more
  struct Failed {
    Callback callback;
    HRESULT result;
    bool repaired;  // the same callback succeeded later
  };
  boost::container::small_vector<Failed, 4> failed{};
  // The call that began before it. By hand: frames are aggregates on the stacks of their threads, few at a time, and a
  // look-up ends at null.
  Frame* next = nullptr;
};

// One callback that is to fail: the nth call from now on, counted from 1.
struct CallbackFault {
  Callback callback = Callback::None;
  uint32_t nth = 0;  // 0: none
  HRESULT result = E_OUTOFMEMORY;
};

// What Direct3D 9 and Direct3D 10 and 11 have in common: a device of the kernel, the table of callbacks that the driver
// gets, and what is known about its resources, allocations, contexts and batches. The class of each DDI derives from
// it.
//
// PendingCommands says how it is known that commands were submitted before the memory they use is given back. Any
// thread of the machine, as far as the DDI allows; guarded by the runtime's lock.
class Device {
 public:
  Device(Runtime& its_runtime, kmt::Client& client, D3DKMT_HANDLE adapter, nt::Scope& scope, Era era);
  virtual ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Runtime& runtime;  // public: the thread-safety annotations name its lock

  kmt::Client& client() { return client_; }
  nt::Machine& machine() { return runtime.machine(); }
  HANDLE handle() const { return handle_; }  // for the driver
  D3DKMT_HANDLE kernel() const { return kernel_; }
  D3DKMT_HANDLE kernel_adapter() const { return adapter_; }
  Era era() const { return era_; }
  const D3DDDI_DEVICECALLBACKS& callbacks() const { return callbacks_; }
  // Direct3D 11: creation and destruction come from any thread, and only Flush may submit.
  virtual bool free_threaded() const { return false; }
  // Some pages of Direct3D 9 ask for more than those of its successors.
  virtual bool is_direct3d9() const { return true; }

  // A callback of the driver's choice fails from now on.
  void fail_callback(const CallbackFault& fault) { fault_ = fault; }
  HRESULT next_failure(Callback callback);

  // --- Findings ---
  void report_violation(nt::Violation what, std::string sentence, std::vector<nt::RoleStack> more = {});
  // Where the driver got the resource's memory, for a finding about it.
  std::vector<nt::RoleStack> stacks_of(const Resource& resource) { return stacks_of(resource.allocated_at); }
  std::vector<nt::RoleStack> stacks_of(base::StackId allocated_at);

  // --- Calls ---
  // The innermost function of this device that runs on the calling thread; null when there is none.
  Frame* frame();
  // Whether the driver may call back on this thread: while it is in one of its functions; of Direct3D 11, any time.
  bool may_call_back() { return free_threaded() || frame() != nullptr; }
  // What a callback answered, for the judgement of the function that it was called in.
  void answered(Callback callback, HRESULT result);
  void enter(Frame& frame);
  void leave(Frame& frame);
  // Calls a function of the driver.
  template <typename R, typename... Params, typename... Args>
  R call(Frame& frame, R (*function)(Params...), Args&&... args) {
    enter(frame);
    if constexpr (std::is_void_v<R>) {
      nt::call_driver<nt::DriverCall::Mode::User>(machine(), frame.name, &scope_, function,
                                                  std::forward<Args>(args)...);
      leave(frame);
    } else {
      R result = nt::call_driver<nt::DriverCall::Mode::User>(machine(), frame.name, &scope_, function,
                                                             std::forward<Args>(args)...);
      leave(frame);
      return result;
    }
  }

  // --- Resources ---
  Resource& add_resource() REQUIRES(runtime.lock);
  void remove_resource(Resource& resource) REQUIRES(runtime.lock);
  // What pfnDestroyResource left: nothing, and it is gone; or a zombie.
  void resource_destroyed(Resource& resource) REQUIRES(runtime.lock);
  Resource* first_resource() REQUIRES(runtime.lock) { return resources_; }
  size_t resource_count() REQUIRES(runtime.lock) { return resource_count_; }
  Allocations& allocations() REQUIRES(runtime.lock) { return allocations_; }
  Contexts& contexts() REQUIRES(runtime.lock) { return contexts_; }

  // --- Batches ---
  // The command that the driver was just told uses these. `frame` is the one it was told in: what it submitted
  // meanwhile may contain the command or not, and is believed to.
  void use(const Frame& frame, std::initializer_list<Resource*> resources);
  void use(const Frame& frame, std::span<Resource* const> resources, Work work = Work::Any);
  void submitted(const Submission& submission = {}) REQUIRES(runtime.lock) {
    commands_.submitted(submission);
    written_.clear();
  }
  bool has_pending_commands(const MemoryUse& use) const REQUIRES(runtime.lock) { return commands_.pending(use); }
  bool has_pending_commands(const Resource& resource) const REQUIRES(runtime.lock) {
    return has_pending_commands(resource.use);
  }
  // The driver may have given the resource other memory, as far as that is in no resource's name.
  void memory_exchanged(Resource& resource);
  // The command that `use` has just counted writes to it. Of interest for what is scanned out alone.
  void write(const Frame& frame, Resource* resource);
  // What was written since the last submission, and is scanned out.
  const std::vector<Resource*>& written() REQUIRES(runtime.lock) { return written_; }
  // Their memory has been exchanged with others': what the commands write to is not known any more.
  void forget_written() REQUIRES(runtime.lock) { written_.clear(); }
  uint64_t submissions() REQUIRES(runtime.lock) { return commands_.count().all; }
  // The program has a batch end: how many in a row the GPU was stopped for is looked at.
  void batch_ended();
  void note_hardware_access();

 protected:
  // The device of the kernel comes before the driver's and goes after it.
  base::Result<> create_kernel_device();
  // What the kernel still has of a resource that the driver did not deallocate.
  void give_back(const Resource& resource);
  // Judges what the driver left behind when its DestroyDevice returned, and gives it back.
  void settle();
  void destroy_kernel_device();
  // What is judged for every function of Direct3D 9 that returns a result: errors of callbacks are handed on.
  void judge_errors(Frame& frame, HRESULT result);
  // A function of either DDI failed with `result`, or did not.
  void judge_discard(Frame& frame, HRESULT result);
  void judge_wait(const Frame& frame);
  void pending_taken_for_failure(const Frame& frame);

  kmt::Client& client_;
  nt::Scope& scope_;
  D3DDDI_DEVICECALLBACKS callbacks_{};

 private:
  void explain_loss();

  const D3DKMT_HANDLE adapter_;
  const Era era_;
  HANDLE handle_ = nullptr;
  D3DKMT_HANDLE kernel_ = 0;
  Frame* frames_ GUARDED_BY(runtime.lock) = nullptr;
  Resource* resources_ GUARDED_BY(runtime.lock) = nullptr;
  Resource* free_resources_ GUARDED_BY(runtime.lock) = nullptr;
  std::vector<std::unique_ptr<Resource[]>> slabs_ GUARDED_BY(runtime.lock);
  size_t resource_count_ GUARDED_BY(runtime.lock) = 0;
  Allocations allocations_ GUARDED_BY(runtime.lock);
  Contexts contexts_ GUARDED_BY(runtime.lock);
  uint64_t resources_made_ GUARDED_BY(runtime.lock) = 0;
  PendingCommands commands_ GUARDED_BY(runtime.lock);
  std::vector<Resource*> written_ GUARDED_BY(runtime.lock);    // see written()
  bool accessed_hardware_ GUARDED_BY(runtime.lock) = false;    // by an escape, since a batch ended
  uint32_t batches_with_access_ GUARDED_BY(runtime.lock) = 0;  // in a row
  bool loss_explained_ GUARDED_BY(runtime.lock) = false;
  CallbackFault fault_;
};

}  // namespace umd
