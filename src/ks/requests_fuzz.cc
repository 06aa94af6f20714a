// A program that sends a streaming class whatever: names of pins, allocators and clocks with parameters behind them,
// properties, methods, events, stream headers, control codes, on handles that are open, closed or of another kind. The
// minidriver is a correct one; the program is served or refused, and what it waits for can always be cancelled.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "base/testing/fuzz_input.h"
#include "ks/automation.h"
#include "ks/device.h"
#include "ks/program.h"
#include "ks/slot.h"
#include "ks/system.h"
#include "ks/testing/fake_driver.h"
#include "nt/file_objects.h"
#include "nt/io_request.h"
#include "nt/pool.h"
#include "nt/testing/fuzz_machine.h"

namespace ks::testing {
namespace {

using base::testing::FuzzInput;

constexpr int kMostRequests = 48;

// --- The minidriver ---

constexpr GUID kSet = {0x1f2e3d4c, 0x1111, 0x2222, {1, 1, 2, 3, 5, 8, 13, 21}};
ULONG g_number = 7;

NTSTATUS get_number(PIRP, PKSIDENTIFIER, PVOID data) {
  *static_cast<ULONG*>(data) = g_number;
  return STATUS_SUCCESS;
}
NTSTATUS set_number(PIRP, PKSIDENTIFIER, PVOID data) {
  g_number = *static_cast<ULONG*>(data);
  return STATUS_SUCCESS;
}
NTSTATUS get_list(PIRP irp, PKSIDENTIFIER, PVOID) {
  static const ULONG kItems[] = {11, 22, 33};
  return KsHandleSizedListQuery(irp, 3, sizeof(ULONG), kItems);
}
NTSTATUS method(PIRP irp, PKSIDENTIFIER, PVOID data) {
  if (data) irp->IoStatus.Information = sizeof(ULONG);
  return STATUS_SUCCESS;
}

const LONG kBounds[] = {0, 100};
const KSPROPERTY_MEMBERSLIST kLists[] = {{{KSPROPERTY_MEMBER_RANGES, sizeof(kBounds), 1, 0}, kBounds}};
const KSPROPERTY_VALUES kValues = {{{{KSPROPTYPESETID_General, 3, 0}}}, 1, kLists};
const KSPROPERTY kRelations[] = {{{{kSet, 1, 0}}}};
const KSPROPERTY_ITEM kProperties[] = {
    DEFINE_KSPROPERTY_ITEM(0, get_number, sizeof(KSPROPERTY), sizeof(ULONG), set_number, &kValues, 1, kRelations,
                           nullptr, sizeof(ULONG)),
    DEFINE_KSPROPERTY_ITEM(1, get_list, sizeof(KSPROPERTY), 0, nullptr, nullptr, 0, nullptr, nullptr, 0),
    DEFINE_KSPROPERTY_ITEM(2, get_number, sizeof(KSP_NODE), sizeof(ULONG), nullptr, nullptr, 0, nullptr, nullptr, 0),
};
const KSPROPERTY_SET kPropertySets[] = {DEFINE_KSPROPERTY_SET(&kSet, std::size(kProperties), kProperties, 0, nullptr)};
const KSMETHOD_ITEM kMethods[] = {
    DEFINE_KSMETHOD_ITEM(0, KSMETHOD_TYPE_NONE, method, sizeof(KSMETHOD), 0, nullptr),
    DEFINE_KSMETHOD_ITEM(1, KSMETHOD_TYPE_READ, method, sizeof(KSMETHOD), sizeof(ULONG), nullptr),
    DEFINE_KSMETHOD_ITEM(2, KSMETHOD_TYPE_WRITE, method, sizeof(KSMETHOD), sizeof(ULONG), nullptr),
    DEFINE_KSMETHOD_ITEM(3, KSMETHOD_TYPE_MODIFY, method, sizeof(KSM_NODE), sizeof(ULONG), nullptr),
    DEFINE_KSMETHOD_ITEM(4, KSMETHOD_TYPE_MODIFY | KSMETHOD_TYPE_SOURCE, method, sizeof(KSMETHOD), sizeof(ULONG),
                         nullptr),
};
const KSMETHOD_SET kMethodSets[] = {DEFINE_KSMETHOD_SET(&kSet, std::size(kMethods), kMethods, 0, nullptr)};
const KSEVENT_ITEM kEvents[] = {
    DEFINE_KSEVENT_ITEM(0, sizeof(KSEVENTDATA), 0, nullptr, nullptr, nullptr),
    DEFINE_KSEVENT_ITEM(1, sizeof(KSEVENTDATA), sizeof(ULONG), nullptr, nullptr, nullptr),
};
const KSEVENT_SET kEventSets[] = {DEFINE_KSEVENT_SET(&kSet, std::size(kEvents), kEvents)};
const KSAUTOMATION_TABLE kTable = {DEFINE_KSAUTOMATION_PROPERTIES(kPropertySets),
                                   DEFINE_KSAUTOMATION_METHODS(kMethodSets), DEFINE_KSAUTOMATION_EVENTS(kEventSets)};
const GUID kNodeType = KSCATEGORY_BRIDGE;
const KSNODE_DESCRIPTOR kNodes[] = {{nullptr, &kNodeType, nullptr}, {&kTable, &kNodeType, nullptr}};
const KSTOPOLOGY_CONNECTION kConnections[] = {{KSFILTER_NODE, 1, 0, 0}, {0, 1, 1, 0}, {1, 1, KSFILTER_NODE, 0}};

// How many frames the device still has work for. Two pins that are connected hand the same frames on and on: a real
// device takes time for each, this one has an end.
constexpr int kMostFrames = 200;
int g_frames_left;

// Uses up the frames that it is given.
NTSTATUS process(PKSPIN pin) {
  for (;;) {
    if (g_frames_left-- <= 0) return STATUS_PENDING;
    PKSSTREAM_POINTER leading = KsPinGetLeadingEdgeStreamPointer(pin, KSSTREAM_POINTER_STATE_LOCKED);
    if (!leading) return STATUS_PENDING;
    if (pin->DataFlow == KSPIN_DATAFLOW_OUT) leading->StreamHeader->DataUsed = leading->StreamHeader->FrameExtent;
    KsStreamPointerUnlock(leading, TRUE);
  }
}

void set_up(FakeDriver& driver, FuzzInput& input) {
  g_number = 7;
  g_frames_left = kMostFrames;
  driver.filter_descriptor.AutomationTable = &kTable;
  driver.filter_descriptor.NodeDescriptorsCount = std::size(kNodes);
  driver.filter_descriptor.NodeDescriptorSize = sizeof(KSNODE_DESCRIPTOR);
  driver.filter_descriptor.NodeDescriptors = kNodes;
  driver.filter_descriptor.ConnectionsCount = std::size(kConnections);
  driver.filter_descriptor.Connections = kConnections;
  bool works = !input.rarely(3);
  for (int i = 0; i < 2; ++i) {
    driver.pins[i].AutomationTable = &kTable;
    if (works) driver.pin[i].Process = &process;
    driver.pins[i].Flags |= KSPIN_FLAG_IMPLEMENT_CLOCK;
  }
}

// --- The program ---

// Two pages for arguments; the next can be read alone, the one behind it not be touched.
class ArgumentPages {
 public:
  static constexpr size_t kPage = 4096, kRoom = 4 * kPage;
  ArgumentPages() {
    void* at = mmap(nullptr, kRoom + 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    base_ = static_cast<uint8_t*>(at);
    CHECK(mprotect(base_ + kRoom, kPage, PROT_READ) == 0);
    CHECK(mprotect(base_ + kRoom + kPage, kPage, PROT_NONE) == 0);
  }
  ~ArgumentPages() { munmap(base_, kRoom + 2 * kPage); }
  ArgumentPages(const ArgumentPages&) = delete;
  ArgumentPages& operator=(const ArgumentPages&) = delete;

  uint8_t* room(uint32_t which) { return base_ + which * kPage; }
  // Half of `bytes` can be reached, or none.
  void* bad(FuzzInput& input, size_t bytes) {
    switch (input.below(4)) {
      case 0:
        return nullptr;
      case 1:
        return base_ + kRoom - bytes / 2;
      case 2:
        return base_ + kRoom + kPage - bytes / 2;
      default:
        return reinterpret_cast<void*>(0xFFFF'8000'0000'0000 + 4096ull * input.take<uint8_t>());
    }
  }

 private:
  uint8_t* base_;
};

// One request with stream headers, under way or done.
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
    switch (input_.below(5)) {
      case 0:
        return one_of(filters_);
      case 1:
      case 2:
        return one_of(pins_);
      case 3:
        return one_of(allocators_);
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
    request.format.MajorFormat = KSDATAFORMAT_TYPE_VIDEO;
    if (input_.rarely(4)) input_.corrupt(&request, sizeof(request));
    uint64_t bytes =
        input_.rarely(8) ? input_.below(sizeof(request) + 1) : sizeof(KSPIN_CONNECT) + request.format.FormatSize;
    keep(program_.open_child(one_of(filters_), input_.rarely(24) ? KSNAME_Allocator : KSNAME_Pin, &request,
                             std::min<uint64_t>(bytes, sizeof(request))),
         pins_);
  }
  void open_allocator() {
    KSALLOCATOR_FRAMING framing = program_.propose_framing(one_of(pins_), 4096);
    if (input_.rarely(3)) input_.corrupt(&framing, sizeof(framing));
    keep(program_.open_child(one_of(pins_), KSNAME_Allocator, &framing,
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
         clocks_);
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
  void property() {
    static const GUID* const kSets[] = {&kSet,
                                        &KSPROPSETID_Pin,
                                        &KSPROPSETID_Connection,
                                        &KSPROPSETID_Stream,
                                        &KSPROPSETID_Topology,
                                        &KSPROPSETID_General,
                                        &KSPROPSETID_StreamAllocator,
                                        &KSPROPSETID_StreamInterface,
                                        &KSPROPSETID_Clock};
    static const ULONG kFlags[] = {KSPROPERTY_TYPE_GET,
                                   KSPROPERTY_TYPE_GET,
                                   KSPROPERTY_TYPE_SET,
                                   KSPROPERTY_TYPE_BASICSUPPORT,
                                   KSPROPERTY_TYPE_SETSUPPORT,
                                   KSPROPERTY_TYPE_RELATIONS,
                                   KSPROPERTY_TYPE_SERIALIZESET,
                                   KSPROPERTY_TYPE_UNSERIALIZESET,
                                   KSPROPERTY_TYPE_SERIALIZERAW,
                                   KSPROPERTY_TYPE_UNSERIALIZERAW,
                                   KSPROPERTY_TYPE_SERIALIZESIZE,
                                   KSPROPERTY_TYPE_DEFAULTVALUES,
                                   KSPROPERTY_TYPE_GET | KSPROPERTY_TYPE_TOPOLOGY};
    auto* in = pages_.room(0);
    auto* out = pages_.room(1);
    std::memset(in, 0, 512);
    auto& request = *reinterpret_cast<KSP_PIN*>(in);
    uint32_t set = input_.below(std::size(kSets));
    request.Property.Set = *kSets[set];
    request.Property.Id = input_.below(16);
    request.Property.Flags = kFlags[input_.below(std::size(kFlags))];
    request.PinId = static_cast<ULONG>(number({0, 1}));
    ULONG in_bytes = set == 0 && !input_.rarely(3) ? sizeof(KSPROPERTY) : sizeof(KSP_PIN);
    if (set == 1 && input_.rarely(2)) in_bytes += put_ranges(in + sizeof(KSP_PIN));
    auto out_bytes = static_cast<ULONG>(std::min<uint64_t>(number({4, 8, 256, 0, 16, 64}), ArgumentPages::kPage));
    fill_value(out, request.Property);
    if (input_.rarely(6)) input_.corrupt(in, in_bytes);
    if (input_.rarely(6) && out_bytes) input_.corrupt(out, out_bytes);
    control(any_file(), IOCTL_KS_PROPERTY, in, in_bytes, out, out_bytes);
  }
  // A list of ranges, as a data intersection takes it.
  ULONG put_ranges(uint8_t* at) {
    auto& list = *reinterpret_cast<KSMULTIPLE_ITEM*>(at);
    list.Count = 1 + input_.below(2);
    list.Size = static_cast<ULONG>(sizeof(list) + list.Count * sizeof(KSDATARANGE));
    auto* ranges = reinterpret_cast<KSDATARANGE*>(at + sizeof(list));
    for (ULONG i = 0; i < list.Count; ++i) {
      ranges[i] = {};
      ranges[i].FormatSize = static_cast<ULONG>(number({sizeof(KSDATARANGE)}));
    }
    ULONG bytes = list.Size;
    if (input_.rarely(4)) input_.corrupt(at, bytes);
    return bytes;
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
      format.MajorFormat = KSDATAFORMAT_TYPE_VIDEO;
    }
  }
  void method() {
    auto* in = pages_.room(0);
    std::memset(in, 0, 64);
    auto& request = *reinterpret_cast<KSM_NODE*>(in);
    request.Method.Set = input_.rarely(2) ? KSMETHODSETID_StreamAllocator : kSet;
    request.Method.Id = input_.below(6);
    request.Method.Flags =
        static_cast<ULONG>(number({KSMETHOD_TYPE_SEND, KSMETHOD_TYPE_BASICSUPPORT, KSMETHOD_TYPE_SETSUPPORT}));
    request.NodeId = input_.below(3);
    ULONG in_bytes = input_.rarely(2) ? sizeof(KSM_NODE) : sizeof(KSMETHOD);
    if (input_.rarely(6)) input_.corrupt(in, in_bytes);
    control(any_file(), IOCTL_KS_METHOD, in, in_bytes, pages_.room(1), static_cast<ULONG>(number({4, 8, 0}) % 4096));
  }
  void event() {
    auto* in = pages_.room(0);
    std::memset(in, 0, 64);
    auto& request = *reinterpret_cast<KSE_NODE*>(in);
    static const GUID* const kSets[] = {&kSet, &KSEVENTSETID_Connection, &KSEVENTSETID_Clock,
                                        &KSEVENTSETID_StreamAllocator};
    request.Event.Set = *kSets[input_.below(std::size(kSets))];
    request.Event.Id = input_.below(6);
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
    if (input_.rarely(6)) input_.corrupt(in, in_bytes);
    if (input_.rarely(8)) input_.corrupt(&data, sizeof(data.EventData.NotificationType));
    control(any_file(), IOCTL_KS_ENABLE_EVENT, in, in_bytes, &data,
            static_cast<ULONG>(number({sizeof(KSEVENTDATA), sizeof(data)}) % 4096));
  }
  void disable_event() {
    void* data = pages_.room(2) + 128 * input_.below(4);
    control(any_file(), IOCTL_KS_DISABLE_EVENT, data, input_.rarely(8) ? 0 : sizeof(KSEVENTDATA), nullptr, 0);
  }

  // --- Streams ---
  void stream() {
    if (streaming_.size() > 3) {
      finish(streaming_.front()->request);
      streaming_.erase(streaming_.begin());
    }
    auto made = std::make_unique<Streaming>(machine_);
    uint32_t count = 1 + input_.below(2);
    uint32_t header_bytes = sizeof(KSSTREAM_HEADER) + (input_.rarely(3) ? 8 * input_.below(8) : 0);
    made->headers.resize(count * header_bytes / 8);
    auto* bytes = reinterpret_cast<uint8_t*>(made->headers.data());
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
      header.Data = made->buffer.data() + 2048 * i;
      if (input_.rarely(12)) header.Data = pages_.bad(input_, 64);
    }
    ULONG length = static_cast<ULONG>(made->headers.size() * 8);
    void* at = made->headers.data();
    if (input_.rarely(16)) length = input_.below(length + 1);
    if (input_.rarely(24)) at = pages_.bad(input_, length);
    send(*made, write ? IOCTL_KS_WRITE_STREAM : IOCTL_KS_READ_STREAM, at, length);
    streaming_.push_back(std::move(made));
  }
  void send(Streaming& made, ULONG code, void* at, ULONG length) {
    nt::Process::Inside inside(program_.process());
    auto found = machine_.files().find(&program_.process(), input_.rarely(16) ? any_file() : one_of(pins_), UserMode);
    if (!found.ok()) return;
    made.request.start({*found.value(), code, nullptr, 0, at, length, UserMode});
    machine_.files().dereference(*found.value());
  }

  void request() {
    switch (input_.below(20)) {
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
  std::vector<HANDLE> filters_, pins_, allocators_, clocks_, events_;
};

// What a stopped run leaves is parts of a machine that is gone: kept as it is, for good.
struct Parts {
  std::unique_ptr<System> system;
  std::unique_ptr<Slot> slot;
  std::unique_ptr<FuzzProgram> program;
};

void fuzz(FuzzInput& input) {
  FakeDriver driver;
  set_up(driver, input);
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
    parts->slot = std::make_unique<Slot>(*parts->system, nullptr);
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
