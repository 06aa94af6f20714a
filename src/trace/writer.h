#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/mutex.h"
#include "base/result.h"
#include "trace/event.h"
#include "trace/log.h"
#include "trace/sink.h"

namespace trace {

// All events are emitted through this: one per machine, any thread, one sequence. It must outlive all code that emits;
// its sink must outlive it or be taken away first.
//
//   writer.emit(trace::SchedPoint{.point = 1, .next = 2, .runnable = 3});
class Writer {
 public:
  explicit Writer(size_t ring_bytes = 1 << 20) : log_(ring_bytes) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  bool on() const { return on_.load(std::memory_order_relaxed); }
  void turn_on() { on_.store(true, std::memory_order_relaxed); }
  void turn_off() { on_.store(false, std::memory_order_relaxed); }

  // From now on places in our own code are left out of what is recorded: a hash must not change because code was moved,
  // or built in another folder.
  void leave_out_places() { places_.store(false, std::memory_order_relaxed); }

  // The sink gets what the ring still holds and then every block as it is completed; the previous sink's trace ends.
  // With null the ring goes on as a flight recorder, overwriting its oldest blocks.
  void set_sink(Sink* sink);
  // Hands the incomplete block to the sink too. Fails with the first thing that went wrong there since it was set; null
  // as a sink does not erase that.
  base::Result<> flush();

  // Writes a trace of what the ring still holds, whatever sink is set.
  base::Result<> copy_to(Sink& sink);

  // Read at each emit, so only the emitting thread changes it; null: all zeros. Where several OS threads emit at once,
  // each passes its own to emit_as instead.
  void set_context(const Context* context);

  template <typename Event>
  void emit(const Event& event) {
    if (on()) [[unlikely]]
      record(nullptr, event);
  }
  template <typename Event>
  void emit_as(const Context& context, const Event& event) {
    if (on()) [[unlikely]]
      record(&context, event);
  }

  // Over all records since the last reset, header and payload, whatever became of them.
  uint64_t hash() const;
  uint64_t count() const;
  // A new run: ends the sink's trace and takes the sink away, forgets everything, keeps memory, context and on or off.
  void reset();

 private:
  using Lock = base::Guard<base::LockRank::Trace>;

  // Out of line, so that an emit costs its caller a load, a branch and a call.
  template <typename Event>
  [[gnu::noinline]] void record(const Context* context, const Event& event) {
    Lock lock(mutex_);
    if constexpr (std::is_same_v<Event, Refusal>) {
      if (!places_.load(std::memory_order_relaxed)) {
        log_.append(context ? *context : *context_,
                    Refusal{.status = event.status, .reason = event.reason, .file = "", .line = 0});
        return;
      }
    }
    log_.append(context ? *context : *context_, event);
  }

  static constexpr Context kNoContext{};

  std::atomic<bool> on_{false};
  std::atomic<bool> places_{true};
  mutable base::Mutex<base::LockRank::Trace> mutex_;
  const Context* context_ GUARDED_BY(mutex_) = &kNoContext;
  Log log_ GUARDED_BY(mutex_);
};

}  // namespace trace
