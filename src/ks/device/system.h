#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi/ks/ks.h"
#include "base/mutex.h"
#include "base/result.h"
#include "ks/exports/ddi.h"
#include "ks/object/bag.h"
#include "ks/object/deferred_file_release.h"
#include "ks/object/object.h"
#include "ks/property/pending_requests.h"
#include "nt/machine/machine.h"

namespace ks {

class AllocatorRegistry;
class Device;
class Driver;

// Options of the class for one run.
struct Policy {
  bool guard_frames = true;        // a frame's bytes cannot be touched while no pointer to it is locked
  bool stress_allocators = false;  // Allocate and Free are called at DISPATCH_LEVEL where a page allows it
};

// The AVStream class on one machine: its drivers, their devices, and every object whose address a driver knows. Owned
// by the host; ends, with everything in it, before its machine.
class System {
 public:
  System(nt::Machine& machine, const Policy& policy);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  static constexpr nt::MachinePart kMachinePart = nt::MachinePart::Streaming;
  static System* of(nt::Machine& machine) { return machine.part<System>(); }

  nt::Machine& machine() { return machine_; }
  const Policy& policy() const { return policy_; }

  // --- Drivers: KsInitializeDriver, and the end of the image ---
  // `scope` is the image's.
  base::Result<> register_driver(DRIVER_OBJECT& object, const KSDEVICE_DESCRIPTOR* descriptor, nt::Scope& scope);
  Driver* driver_of(const DRIVER_OBJECT* object);
  void unregister_driver(DRIVER_OBJECT& object);

  // --- Devices, in the order they came ---
  Device* device_of(const DEVICE_OBJECT* functional);
  void add(std::unique_ptr<Device> device);
  std::unique_ptr<Device> remove(Device& device);
  std::vector<Device*> devices();

  // --- Objects that drivers name by address ---
  // The live object behind a KSDEVICE, KSFILTERFACTORY, KSFILTER or KSPIN. Null, after a finding, for one that is
  // closed (Violation::KsObjectUsedAfterClose) or was never one (Violation::NotInitialised). `by` is the function that
  // the driver called.
  Object* object(const void* body, const char* by);
  template <typename T>
  T* object_as(const void* body, const char* by) {
    Object* found = object(body, by);
    return found && found->type() == T::kType ? static_cast<T*>(found) : wrong_type<T>(found, by);
  }
  void publish(Object& object);
  void unpublish(Object& object);  // its body is remembered as closed for the rest of the run

  // The bag that a driver names by its KSOBJECT_BAG; the same findings.
  Bag* bag(KSOBJECT_BAG handle, const char* by);
  void publish(Bag& bag);
  void unpublish(Bag& bag);
  BagItems& bag_items() { return bag_items_; }

  AllocatorRegistry& allocators() { return *allocators_; }
  DeferredFileRelease& file_releases() { return file_releases_; }
  PendingRequests& pending() { return pending_; }

  // How often each routine of the minidrivers was called, by Ddi. Any thread.
  void count_call(Ddi ddi) { ddi_calls_[static_cast<size_t>(ddi)].fetch_add(1, std::memory_order_relaxed); }
  std::array<uint64_t, kDdiCount> ddi_calls() const {
    std::array<uint64_t, kDdiCount> counts;
    for (size_t i = 0; i < kDdiCount; ++i) counts[i] = ddi_calls_[i].load(std::memory_order_relaxed);
    return counts;
  }
  // Frames that the drivers were done with: filled, or taken with data in them. Any thread.
  void count_frame() { frames_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t frames() const { return frames_.load(std::memory_order_relaxed); }

 private:
  template <typename T>
  T* wrong_type(Object* found, const char* by) {
    if (found) report_wrong_type(*found, by);
    return nullptr;
  }
  void report_wrong_type(const Object& found, const char* by);

  nt::Machine& machine_;
  const Policy policy_;
  BagItems bag_items_;
  DeferredFileRelease file_releases_;
  PendingRequests pending_;
  const std::unique_ptr<AllocatorRegistry> allocators_;
  std::array<std::atomic<uint64_t>, kDdiCount> ddi_calls_{};
  std::atomic<uint64_t> frames_ = 0;
  base::Mutex<base::LockRank::Table> lock_;
  std::vector<std::unique_ptr<Driver>> drivers_ GUARDED_BY(lock_);
  std::vector<std::unique_ptr<Device>> devices_ GUARDED_BY(lock_);
  std::unordered_map<const void*, Object*> objects_ GUARDED_BY(lock_);  // null: closed. Never walked
  std::unordered_map<const void*, Bag*> bags_ GUARDED_BY(lock_);        // the same
};

}  // namespace ks
