#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "abi/ks/ks.h"
#include "ks/stream/gate.h"
#include "ks/stream/process_loop.h"
#include "nt/machine/scope.h"

namespace ks {

class Queue;
class StreamPointer;

// Filter-centric processing: one Process for all pins of a filter. Process gets what is at each pin's leading edge
// (KSPROCESSPIN) and returns how much it used. Owned by the filter's processor, whose loop calls it. Pins are added,
// removed and get gates only while the loop is suspended; they change their states at any time.
class FilterProcess final : public ProcessLoop::Work {
 public:
  struct Site {
    nt::Machine& machine;
    KSFILTER& body;
    nt::Scope* scope;  // of the driver's Process
    std::string name;
  };
  struct Instance {
    KSPIN& body;
    Queue& queue;
    std::string name;
  };

  // `gate` is the filter's own AND gate.
  FilterProcess(Site site, KSGATE& gate);
  ~FilterProcess();
  FilterProcess(const FilterProcess&) = delete;
  FilterProcess& operator=(const FilterProcess&) = delete;

  // --- While the loop is suspended ---
  // One descriptor for each pin id: the index that Process gets has as many entries.
  void set_factories(const std::vector<const KSPIN_DESCRIPTOR_EX*>& factories);
  size_t factories() const { return groups_.size(); }
  void add(const Instance& instance);
  void remove(const KSPIN& body);
  bool knows(const KSPIN& body) { return find(body) != nullptr; }
  // KsPinAttachAndGate, KsPinAttachOrGate: from now on the pin's frames are an input of the driver's gate, and that
  // gate is an input of the filter's. Null: the pin's frames are an input of the filter's gate.
  void attach(const KSPIN& body, KSGATE* gate, GateKind kind);

  // --- At any time ---
  void set_state(const KSPIN& body, KSSTATE state);
  void count_arrival() { arrivals_.fetch_add(1, std::memory_order_relaxed); }
  // KsProcessPinUpdate, from within Process: takes what was used, and shows what is next. Returns whether the pin's own
  // conditions for processing are met.
  bool update(KSPROCESSPIN& pin);

  // ProcessLoop::Work
  bool ready() override;
  ProcessLoop::Outcome run() override;
  uint64_t progress() override;
  uint64_t arrivals() override { return arrivals_.load(std::memory_order_relaxed); }
  bool cloned() override;

 private:
  struct Shown;  // an instance of a pin
  struct Group;  // the instances of one pin id

  Shown* find(const KSPIN& body);
  void rebuild_pins(Group& group);
  bool states_allow() const;
  bool frames_allow();
  bool prepare();
  bool pass_on_empty(Shown& input);
  void show(Shown& shown);
  bool lock(Shown& shown);
  void commit(Shown& shown);
  void unlock_all();
  void detach(Shown& shown);

  const Site site_;
  KSGATE& gate_;
  std::vector<std::unique_ptr<Group>> groups_;  // by pin id
  KSPROCESSPIN_INDEXENTRY* index_ = nullptr;    // in the machine's memory, as everything that Process gets
  std::atomic<uint64_t> arrivals_{0};
  ULONG passed_flags_ = 0;  // of input frames without data, for the output frames that go with them
  bool passing_ = false;
};

}  // namespace ks
