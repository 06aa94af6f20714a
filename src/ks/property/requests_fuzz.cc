// A program that sends arbitrary requests to a streaming class: names of pins, allocators and clocks with parameters,
// properties, methods, events, stream headers, control codes, on handles that are open, closed or of another kind. The
// minidriver is a correct one; the program is served or refused, and what it waits for can always be cancelled.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "base/align.h"
#include "base/testing/fuzz_input.h"
#include "ks/device/device.h"
#include "ks/device/pnp_slot.h"
#include "ks/device/system.h"
#include "ks/object/program.h"
#include "ks/testing/argument_pages.h"
#include "ks/testing/fuzz_minidriver.h"
#include "nt/io/file_objects.h"
#include "nt/io/io_request.h"
#include "nt/mm/pool.h"
#include "nt/testing/fuzz_machine.h"

namespace ks::testing {
namespace {

using base::testing::FuzzInput;

constexpr int kMostRequests = 48;
constexpr ULONG kMostFrameBytes = 1 << 20;

// One request that the program does not wait for at once, under way or done.
struct Streaming {
  explicit Streaming(nt::Machine& machine) : buffer(4096), request(machine) {}
  std::vector<uint64_t> headers;
  ProgramBuffer buffer;
  nt::IoRequest request;
};

class FuzzProgram {
 public:
  FuzzProgram(nt::Machine& machine, Device& device, FuzzInput& input)
      : machine_(machine), device_(device), input_(input), program_(machine, "program") {}

  void run() {
    open_filter();
    open_pin();
    for (int i = 0; i < 2; ++i) {
      events_.push_back(program_.process().create_event(SynchronizationEvent, false).take());
    }
    for (int requests = 0; requests < kMostRequests && !input_.empty(); ++requests) request();
    for (auto& each : streaming_) finish(each->request);
  }

 private:
  void keep(base::Result<HANDLE> opened, std::vector<HANDLE>& among) {
    if (opened.ok()) among.push_back(opened.take());
  }
  HANDLE one_of(const std::vector<HANDLE>& some) {
    if (some.empty() || input_.rarely(32)) return reinterpret_cast<HANDLE>(input_.odd_number());
    return some[some.size() - 1 - input_.below(static_cast<uint32_t>(std::min<size_t>(some.size(), 4)))];
  }
  HANDLE any_file() {
    switch (input_.below(6)) {
      case 0:
        return one_of(filters_);
      case 1:
      case 2:
        return one_of(pins_);
      case 3:
        return one_of(allocators_);
      case 4:
        return one_of(nodes_);
      default:
        return one_of(clocks_);
    }
  }
  uint64_t number(std::initializer_list<uint64_t> good) {
    if (input_.rarely(8)) return input_.odd_number();
    return good.begin()[input_.below(static_cast<uint32_t>(good.size()))];
  }

  // --- Opening ---
  void open_filter() { keep(program_.open_filter(device_, input_.below(2)), filters_); }
  void open_pin() {
    struct {
      KSPIN_CONNECT connect;
      KSDATAFORMAT format;
      uint8_t more[64];
    } request{};
    request.connect = standard_connect(static_cast<ULONG>(number({0, 1})), input_.rarely(4) ? one_of(pins_) : nullptr);
    request.format.FormatSize = static_cast<ULONG>(number({sizeof(KSDATAFORMAT), sizeof(KSDATAFORMAT) + 32}));
    request.format.MajorFormat = major_format();
    if (input_.rarely(4)) input_.corrupt(&request, sizeof(request));
    uint64_t bytes =
        input_.rarely(8) ? input_.below(sizeof(request) + 1) : sizeof(KSPIN_CONNECT) + request.format.FormatSize;
    keep(program_.open_child(one_of(filters_), input_.rarely(24) ? KSNAME_Allocator : KSNAME_Pin, &request,
                             std::min<uint64_t>(bytes, sizeof(request))),
         pins_);
  }
  void open_allocator() {
    HANDLE pin = one_of(pins_);
    KSALLOCATOR_FRAMING framing = program_.propose_framing(pin, 4096);
    if (input_.rarely(2)) framing.Frames = 1;
    if (input_.rarely(3)) input_.corrupt(&framing, sizeof(framing));
    // The machine's pool has many gigabytes, the fuzzer has not.
    framing.FrameSize = std::min<ULONG>(framing.FrameSize, kMostFrameBytes);
    framing.FileAlignment = std::min<ULONG>(framing.FileAlignment, kMostFrameBytes - 1);
    keep(program_.open_child(pin, KSNAME_Allocator, &framing,
                             input_.rarely(8) ? input_.below(sizeof(framing)) : sizeof(framing)),
         allocators_);
  }
  void open_clock() {
    KSCLOCK_CREATE create{};
    if (input_.rarely(6)) input_.corrupt(&create, sizeof(create));
    keep(program_.open_child(one_of(pins_), KSNAME_Clock, &create, input_.rarely(8) ? 0 : sizeof(create)), clocks_);
  }
  void open_node() {
    KSNODE_CREATE create{static_cast<ULONG>(number({1, 0})), 0};
    keep(program_.open_child(one_of(filters_), KSNAME_TopologyNode, &create, input_.rarely(8) ? 2 : sizeof(create)),
         nodes_);
  }

  // --- Control codes ---
  // Sends it, waits a little, takes it back.
  NTSTATUS control(HANDLE handle, ULONG code, void* in, ULONG in_bytes, void* out, ULONG out_bytes) {
    if (input_.rarely(16)) in = pages_.bad(input_, in_bytes);
    if (input_.rarely(16)) out = pages_.bad(input_, out_bytes);
    if (input_.rarely(16)) in_bytes = input_.below(in_bytes + 1);
    if (input_.rarely(16)) out_bytes = input_.below(out_bytes + 1);
    nt::Process::Inside inside(program_.process());
    auto found = machine_.files().find(&program_.process(), handle, UserMode);
    if (!found.ok()) return found.failure().code();
    nt::IoRequest request(machine_);
    NTSTATUS status = request.start({*found.value(), code, in, in_bytes, out, out_bytes, UserMode});
    machine_.files().dereference(*found.value());
    return status == STATUS_PENDING ? finish(request) : status;
  }
  NTSTATUS finish(nt::IoRequest& request) {
    if (!request.pending()) return STATUS_SUCCESS;
    NTSTATUS status = request.wait(machine_.executor().now() + 1'000'000);
    if (status != STATUS_TIMEOUT) return status;
    request.cancel();
    return request.wait();
  }
  // A set of properties or events, how many they are, and whose.
  struct SetOf {
    const GUID& set;
    ULONG ids;
    std::vector<HANDLE> FuzzProgram::*owners;
  };
  void property() {
    static const SetOf kSets[] = {{kFuzzSet, 4, &FuzzProgram::pins_},
                                  {kFuzzSet, 4, &FuzzProgram::nodes_},
                                  {KSPROPSETID_Pin, 12, &FuzzProgram::filters_},
                                  {KSPROPSETID_Connection, 8, &FuzzProgram::pins_},
                                  {KSPROPSETID_Stream, 5, &FuzzProgram::pins_},
                                  {KSPROPSETID_StreamInterface, 2, &FuzzProgram::pins_},
                                  {KSPROPSETID_Topology, 4, &FuzzProgram::filters_},
                                  {KSPROPSETID_General, 2, &FuzzProgram::filters_},
                                  {KSPROPSETID_StreamAllocator, 3, &FuzzProgram::allocators_},
                                  {KSPROPSETID_Clock, 8, &FuzzProgram::clocks_}};
    static const ULONG kOther[] = {KSPROPERTY_TYPE_BASICSUPPORT,   KSPROPERTY_TYPE_SETSUPPORT,
                                   KSPROPERTY_TYPE_RELATIONS,      KSPROPERTY_TYPE_SERIALIZESET,
                                   KSPROPERTY_TYPE_UNSERIALIZESET, KSPROPERTY_TYPE_SERIALIZERAW,
                                   KSPROPERTY_TYPE_UNSERIALIZERAW, KSPROPERTY_TYPE_SERIALIZESIZE,
                                   KSPROPERTY_TYPE_DEFAULTVALUES,  KSPROPERTY_TYPE_GET | KSPROPERTY_TYPE_TOPOLOGY};
    auto* in = pages_.room(0);
    auto* out = pages_.room(1);
    std::memset(in, 0, 512);
    auto& request = *reinterpret_cast<KSP_PIN*>(in);
    const SetOf& asked = kSets[input_.below(std::size(kSets))];
    request.Property.Set = asked.set;
    request.Property.Id = input_.rarely(8) ? input_.take<uint8_t>() : input_.below(asked.ids);
    request.Property.Flags = input_.rarely(3) ? ULONG{KSPROPERTY_TYPE_SET} : ULONG{KSPROPERTY_TYPE_GET};
    if (input_.rarely(3)) request.Property.Flags = kOther[input_.below(std::size(kOther))];
    request.PinId = static_cast<ULONG>(number({0, 1}));
    ULONG in_bytes = input_.rarely(2) ? sizeof(KSPROPERTY) : sizeof(KSP_PIN);
    auto out_bytes = static_cast<ULONG>(std::min<uint64_t>(number({256, 256, 256, 4, 8, 0, 16, 64}), base::kPageBytes));
    fill_value(out, request.Property);
    if (input_.rarely(6)) input_.corrupt(in, in_bytes);
    if (input_.rarely(6) && out_bytes) input_.corrupt(out, out_bytes);
    control(input_.rarely(8) ? any_file() : one_of(this->*asked.owners), IOCTL_KS_PROPERTY, in, in_bytes, out,
            out_bytes);
  }
  GUID major_format() {
    if (input_.rarely(6)) return KSDATAFORMAT_TYPE_AUDIO;
    return input_.rarely(6) ? GUID_NULL : KSDATAFORMAT_TYPE_VIDEO;
  }
  void intersection() {
    auto* in = pages_.room(0);
    std::memset(in, 0, 512);
    auto& request = *reinterpret_cast<KSP_PIN*>(in);
    request.Property = {{{KSPROPSETID_Pin, KSPROPERTY_PIN_DATAINTERSECTION, KSPROPERTY_TYPE_GET}}};
    request.PinId = static_cast<ULONG>(number({0, 1}));
    ULONG in_bytes = static_cast<ULONG>(sizeof(request)) + put_ranges(in + sizeof(request));
    control(one_of(filters_), IOCTL_KS_PROPERTY, in, in_bytes, pages_.room(1),
            static_cast<ULONG>(number({sizeof(KSDATAFORMAT), 0, 4}) % 4096));
  }
  // A list of ranges, some with attributes behind them, as a data intersection takes it.
  ULONG put_ranges(uint8_t* at) {
    auto& list = *reinterpret_cast<KSMULTIPLE_ITEM*>(at);
    list.Count = 1 + input_.below(2);
    list.Size = sizeof(list);
    for (ULONG i = 0; i < list.Count; ++i) {
      auto& range = *reinterpret_cast<KSDATARANGE*>(at + list.Size);
      range.FormatSize = static_cast<ULONG>(number({sizeof(KSDATARANGE)}));
      range.SampleSize = input_.below(3);
      range.MajorFormat = major_format();
      list.Size += sizeof(range);
      if (!input_.rarely(3)) continue;
      range.Flags = KSDATARANGE_ATTRIBUTES;
      auto& attributes = *reinterpret_cast<KSMULTIPLE_ITEM*>(at + list.Size);
      attributes = {static_cast<ULONG>(number({sizeof(attributes), 16})), 1};
      list.Size += 16;
    }
    ULONG bytes = list.Size;
    if (input_.rarely(4)) input_.corrupt(at, bytes);
    return bytes;
  }
  // A set as the class serialises it, and back again.
  void serialised() {
    auto* request = reinterpret_cast<KSPROPERTY*>(pages_.room(0));
    auto* out = pages_.room(1);
    std::memset(out, 0, 512);
    HANDLE file = one_of(input_.rarely(2) ? filters_ : pins_);
    *request = {{{kFuzzSet, 0, KSPROPERTY_TYPE_SERIALIZESET}}};
    control(file, IOCTL_KS_PROPERTY, request, sizeof(*request), out, 256);
    if (input_.rarely(2)) input_.corrupt(out, 128);
    *request = {{{kFuzzSet, 0, KSPROPERTY_TYPE_UNSERIALIZESET}}};
    control(file, IOCTL_KS_PROPERTY, request, sizeof(*request), out, 256);
  }
  // What most properties of their id are set to.
  void fill_value(uint8_t* out, const KSPROPERTY& property) {
    std::memset(out, 0, 512);
    if (property.Set == KSPROPSETID_Stream) {
      HANDLE handle = property.Id == KSPROPERTY_STREAM_ALLOCATOR ? one_of(allocators_) : one_of(clocks_);
      std::memcpy(out, &handle, sizeof(handle));
    } else if (property.Set == KSPROPSETID_Connection && property.Id == KSPROPERTY_CONNECTION_STATE) {
      auto state = static_cast<KSSTATE>(number({0, 1, 2, 3}));
      std::memcpy(out, &state, sizeof(state));
    } else if (property.Set == KSPROPSETID_Connection) {
      auto& format = *reinterpret_cast<KSDATAFORMAT*>(out);
      format.FormatSize = static_cast<ULONG>(number({sizeof(KSDATAFORMAT)}));
      format.SampleSize = input_.below(3);
      format.MajorFormat = major_format();
    }
  }
  // Gives a stopped pin its allocator or its clock, or takes them away.
  void assign() {
    HANDLE pin = one_of(pins_);
    if (!input_.rarely(4)) program_.set_state(pin, KSSTATE_STOP);
    bool clock = input_.rarely(2);
    HANDLE file = input_.rarely(6) ? any_file() : one_of(clock ? clocks_ : allocators_);
    if (input_.rarely(6)) file = nullptr;
    if (clock) {
      program_.assign_clock(pin, file);
    } else {
      program_.assign_allocator(pin, file);
    }
  }
  void method() {
    auto* in = pages_.room(0);
    std::memset(in, 0, 64);
    auto& request = *reinterpret_cast<KSM_NODE*>(in);
    request.Method.Set = kFuzzSet;
    request.Method.Id = input_.below(6);
    request.Method.Flags =
        static_cast<ULONG>(number({KSMETHOD_TYPE_SEND, KSMETHOD_TYPE_BASICSUPPORT, KSMETHOD_TYPE_SETSUPPORT}));
    request.NodeId = input_.below(3);
    ULONG in_bytes = input_.rarely(2) ? sizeof(KSM_NODE) : sizeof(KSMETHOD);
    if (input_.rarely(6)) input_.corrupt(in, in_bytes);
    control(any_file(), IOCTL_KS_METHOD, in, in_bytes, pages_.room(1), static_cast<ULONG>(number({4, 8, 0}) % 4096));
  }
  // Takes a frame of an allocator, or gives one back that it had.
  void frame() {
    auto* request = reinterpret_cast<KSMETHOD*>(pages_.room(0));
    auto** at = reinterpret_cast<void**>(pages_.room(1));
    bool alloc = !input_.rarely(3);
    *request = {{{KSMETHODSETID_StreamAllocator,
                  alloc ? ULONG{KSMETHOD_STREAMALLOCATOR_ALLOC} : ULONG{KSMETHOD_STREAMALLOCATOR_FREE},
                  alloc ? ULONG{KSMETHOD_TYPE_WRITE} : ULONG{KSMETHOD_TYPE_READ}}}};
    *at = alloc || frames_.empty() ? nullptr : frames_[input_.below(static_cast<uint32_t>(frames_.size()))];
    if (input_.rarely(8)) input_.corrupt(request, sizeof(*request));
    HANDLE file = one_of(allocators_);
    if (alloc && input_.rarely(3)) return wait_for_frame(file, *request);
    control(file, IOCTL_KS_METHOD, request, sizeof(*request), at, sizeof(*at));
    if (alloc) frames_.push_back(*at);
  }
  // Sends an ALLOC request that may pend, and does not wait for its frame.
  void wait_for_frame(HANDLE file, const KSMETHOD& request) {
    Streaming& made = next_streaming();
    made.headers.resize(sizeof(request) / 8);
    std::memcpy(made.headers.data(), &request, sizeof(request));
    send(made, file, {IOCTL_KS_METHOD, made.headers.data(), sizeof(request), made.buffer.data(), sizeof(void*)});
  }
  void event() {
    auto* in = pages_.room(0);
    std::memset(in, 0, 64);
    auto& request = *reinterpret_cast<KSE_NODE*>(in);
    static const SetOf kSets[] = {{kFuzzSet, 3, &FuzzProgram::pins_},
                                  {KSEVENTSETID_Connection, 5, &FuzzProgram::pins_},
                                  {KSEVENTSETID_Clock, 3, &FuzzProgram::clocks_},
                                  {KSEVENTSETID_StreamAllocator, 2, &FuzzProgram::allocators_}};
    const SetOf& asked = kSets[input_.below(std::size(kSets))];
    request.Event.Set = asked.set;
    request.Event.Id = input_.rarely(8) ? input_.take<uint8_t>() : input_.below(asked.ids);
    request.Event.Flags =
        static_cast<ULONG>(number({KSEVENT_TYPE_ENABLE, KSEVENT_TYPE_ONESHOT, KSEVENT_TYPE_BASICSUPPORT,
                                   KSEVENT_TYPE_SETSUPPORT, KSEVENT_TYPE_ENABLEBUFFERED, KSEVENT_TYPE_QUERYBUFFER}));
    // The data of an event are known by their address.
    auto& data = *reinterpret_cast<KSEVENT_TIME_INTERVAL*>(pages_.room(2) + 128 * input_.below(4));
    data = {};
    data.EventData.NotificationType =
        static_cast<ULONG>(number({KSEVENTF_EVENT_HANDLE, KSEVENTF_SEMAPHORE_HANDLE, KSEVENTF_EVENT_OBJECT}));
    data.EventData.EventHandle.Event = one_of(events_);
    data.TimeBase = static_cast<LONGLONG>(number({0, 1000}));
    data.Interval = static_cast<LONGLONG>(number({0, 1000}));
    ULONG in_bytes = input_.rarely(4) ? sizeof(KSE_NODE) : sizeof(KSEVENT);
    if (request.Event.Flags == KSEVENT_TYPE_QUERYBUFFER) {
      reinterpret_cast<KSQUERYBUFFER*>(in)->EventData = &data.EventData;
      in_bytes = sizeof(KSQUERYBUFFER);
    }
    if (input_.rarely(6)) input_.corrupt(in, in_bytes);
    if (input_.rarely(8)) input_.corrupt(&data, sizeof(data.EventData.NotificationType));
    control(input_.rarely(6) ? any_file() : one_of(this->*asked.owners), IOCTL_KS_ENABLE_EVENT, in, in_bytes, &data,
            static_cast<ULONG>(number({sizeof(KSEVENTDATA), sizeof(data)}) % 4096));
  }
  void disable_event() {
    void* data = pages_.room(2) + 128 * input_.below(4);
    control(any_file(), IOCTL_KS_DISABLE_EVENT, data, input_.rarely(8) ? 0 : sizeof(KSEVENTDATA), nullptr, 0);
  }

  // --- Streams ---
  Streaming& next_streaming() {
    if (streaming_.size() > 3) {
      finish(streaming_.front()->request);
      streaming_.erase(streaming_.begin());
    }
    return *streaming_.emplace_back(std::make_unique<Streaming>(machine_));
  }
  void stream() {
    Streaming& made = next_streaming();
    uint32_t count = 1 + input_.below(2);
    uint32_t header_bytes = sizeof(KSSTREAM_HEADER) + (input_.rarely(3) ? 8 * input_.below(8) : 0);
    made.headers.resize(count * header_bytes / 8);
    auto* bytes = reinterpret_cast<uint8_t*>(made.headers.data());
    bool write = input_.rarely(2);
    for (uint32_t i = 0; i < count; ++i) {
      auto& header = *reinterpret_cast<KSSTREAM_HEADER*>(bytes + i * header_bytes);
      header.Size = header_bytes;
      header.FrameExtent = static_cast<ULONG>(number({2048, 64, 0}));
      header.DataUsed = write ? header.FrameExtent : 0;
      header.PresentationTime = {0, 1, 1};
      header.OptionsFlags = input_.rarely(6) ? 1u << input_.below(32) : 0;
      if (input_.rarely(6)) input_.corrupt(&header, sizeof(header));
      header.FrameExtent = header.FrameExtent > 2048 && !input_.rarely(4) ? 2048 : header.FrameExtent;
      header.Data = made.buffer.data() + 2048 * i;
      if (input_.rarely(12)) header.Data = pages_.bad(input_, 64);
    }
    ULONG length = static_cast<ULONG>(made.headers.size() * 8);
    void* at = made.headers.data();
    if (input_.rarely(16)) length = input_.below(length + 1);
    if (input_.rarely(24)) at = pages_.bad(input_, length);
    send(made, input_.rarely(16) ? any_file() : one_of(pins_),
         {write ? ULONG{IOCTL_KS_WRITE_STREAM} : ULONG{IOCTL_KS_READ_STREAM}, nullptr, 0, at, length});
  }
  struct Code {
    ULONG code;
    void* in;
    ULONG in_bytes;
    void* out;
    ULONG out_bytes;
  };
  void send(Streaming& made, HANDLE file, const Code& code) {
    nt::Process::Inside inside(program_.process());
    auto found = machine_.files().find(&program_.process(), file, UserMode);
    if (!found.ok()) return;
    made.request.start({*found.value(), code.code, code.in, code.in_bytes, code.out, code.out_bytes, UserMode});
    machine_.files().dereference(*found.value());
  }

  void request() {
    switch (input_.below(27)) {
      case 0:
        return open_filter();
      case 1:
        return open_pin();
      case 2:
        return open_allocator();
      case 3:
        return open_clock();
      case 4:
        return open_node();
      case 5:
        if (input_.rarely(2)) program_.close(any_file());
        return;
      case 6:
        return event();
      case 7:
        return disable_event();
      case 8:
      case 9:
        return method();
      case 10:
      case 11:
      case 12:
        return stream();
      case 13:
      case 14: {
        auto state = static_cast<ULONG>(number({KSSTATE_RUN, KSSTATE_STOP, KSSTATE_ACQUIRE, KSSTATE_PAUSE}));
        program_.set(one_of(pins_), KSPROPSETID_Connection, KSPROPERTY_CONNECTION_STATE, &state, sizeof(state));
        return;
      }
      case 15: {
        auto& reset = *reinterpret_cast<ULONG*>(pages_.room(0));
        reset = static_cast<ULONG>(number({KSRESET_BEGIN, KSRESET_END}));
        control(any_file(), IOCTL_KS_RESET_STATE, &reset, sizeof(reset), nullptr, 0);
        return;
      }
      case 16:
        control(any_file(), static_cast<ULONG>(number({IOCTL_KS_HANDSHAKE, IOCTL_KS_PROPERTY})), pages_.room(0),
                static_cast<ULONG>(number({32, 0}) % 4096), pages_.room(1), 32);
        return;
      case 17:
        return intersection();
      case 18:
        return serialised();
      case 19:
        return assign();
      case 20:
      case 21:
        return frame();
      case 22:
        return event();
      default:
        return property();
    }
  }

  nt::Machine& machine_;
  Device& device_;
  FuzzInput& input_;
  ArgumentPages pages_;
  std::vector<std::unique_ptr<Streaming>> streaming_;  // ends after the program
  Program program_;
  std::vector<HANDLE> filters_, pins_, allocators_, clocks_, nodes_, events_;
  std::vector<void*> frames_;  // that allocators gave, some of which are back
};

// What a stopped run leaves are parts of a destroyed machine: they are never freed.
struct Parts {
  std::unique_ptr<System> system;
  std::unique_ptr<PnpSlot> slot;
  std::unique_ptr<FuzzProgram> program;
};

void fuzz(FuzzInput& input) {
  FakeDriver driver;
  set_up_minidriver(driver, input);
  nt::testing::FuzzMachine fuzzed;
  fuzzed.options().seed = input.take<uint8_t>();
  auto parts = std::make_unique<Parts>();
  auto ended = fuzzed.run([&](nt::Machine& machine) {
    parts->system = std::make_unique<System>(machine, Policy{});
    auto make = [&](size_t bytes) {
      return machine.pool().allocate(bytes, 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
    };
    auto& object = *static_cast<DRIVER_OBJECT*>(make(sizeof(DRIVER_OBJECT)));
    object.DriverExtension = static_cast<DRIVER_EXTENSION*>(make(sizeof(DRIVER_EXTENSION)));
    nt::Scope scope(nt::ScopeKind::Driver, "fake", &machine.root_scope());
    CHECK(parts->system->register_driver(object, &driver.descriptor, scope).ok());
    parts->slot = std::make_unique<PnpSlot>(*parts->system, nullptr);
    CHECK(parts->slot->add(object).ok());
    CHECK(parts->slot->start() == STATUS_SUCCESS);
    parts->program = std::make_unique<FuzzProgram>(machine, *parts->slot->device(), input);
    parts->program->run();
    parts->program.reset();
    if (parts->slot->device()) CHECK(parts->slot->remove() == STATUS_SUCCESS);
    parts->slot.reset();
    parts->system->unregister_driver(object);
    machine.end_scope(scope);
    parts->system.reset();
  });
  if (ended != nt::Machine::Ended::Returned) (void)parts.release();
}

}  // namespace
}  // namespace ks::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  base::testing::FuzzInput input(data, size);
  ks::testing::fuzz(input);
  return 0;
}
