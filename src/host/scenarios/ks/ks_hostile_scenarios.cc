#include <cstring>

#include "host/scenarios/kmd/scenario_environment.h"
#include "host/scenarios/ks/ks_scenarios.h"
#include "host/scenarios/ks/ks_streaming.h"
#include "nt/io/file_objects.h"

namespace host {
namespace {

constexpr ULONG kCodes[] = {
    IOCTL_KS_PROPERTY,     IOCTL_KS_METHOD,      IOCTL_KS_ENABLE_EVENT, IOCTL_KS_DISABLE_EVENT, IOCTL_KS_READ_STREAM,
    IOCTL_KS_WRITE_STREAM, IOCTL_KS_RESET_STATE, IOCTL_KS_HANDSHAKE,    IOCTL_KS_PROPERTY + 64, 0};

// Buffers of every size, at every address: short, long, misaligned, absent, in the kernel's half.
class Weapons {
 public:
  explicit Weapons(KsEnvironment& environment) : environment_(environment), memory_(4096) {}

  void* address() {
    switch (environment_.choose(8)) {
      case 0:
        return nullptr;
      case 1:
        return reinterpret_cast<void*>(uintptr_t{16});  // nothing is there
      case 2:
        return memory_.data() + 1 + environment_.choose(7);
      case 3:
        return memory_.data() + memory_.size() - environment_.choose(64);  // runs into the page behind
      default:
        return memory_.data();
    }
  }
  ULONG size() {
    constexpr ULONG kSizes[] = {0, 1, 7, 16, 23, 24, 25, 32, 40, 56, 64, 112, 256, 4096, 0x7fffffff, 0xffffffff};
    return kSizes[environment_.choose(std::size(kSizes))];
  }
  // A request that may make sense, in the first bytes.
  void load() {
    static constexpr GUID kSets[] = {
        KSPROPSETID_Pin,         KSPROPSETID_Connection,      KSPROPSETID_Stream, KSPROPSETID_Topology,
        KSPROPSETID_General,     KSPROPSETID_StreamAllocator, KSPROPSETID_Clock,  KSMETHODSETID_StreamAllocator,
        KSEVENTSETID_Connection, KSPROPSETID_StreamInterface};
    for (size_t i = 0; i < 256; ++i)
      memory_.data()[i] = static_cast<uint8_t>(environment_.choose(4) ? 0 : environment_.choose(256));
    KSPROPERTY property{};
    property.Set = kSets[environment_.choose(std::size(kSets))];
    property.Id = environment_.choose(20);
    constexpr ULONG kFlags[] = {KSPROPERTY_TYPE_GET,
                                KSPROPERTY_TYPE_SET,
                                KSPROPERTY_TYPE_BASICSUPPORT,
                                KSPROPERTY_TYPE_SETSUPPORT,
                                KSPROPERTY_TYPE_RELATIONS,
                                0,
                                0xffffffff};
    property.Flags = kFlags[environment_.choose(std::size(kFlags))];
    memcpy(memory_.data(), &property, sizeof(property));
  }

 private:
  KsEnvironment& environment_;
  ks::ProgramBuffer memory_;
};

constexpr base::TimeNs kPatience = 100 * kMillisecond;

// Cancels a request, or a frame, and waits for it. One that the driver has locked cannot be cancelled: it comes back
// when the pin has stopped, which goes on as before.
template <typename Request>
void give_up(KsPlayer& player, HANDLE pin, Request& request) {
  if (request.pending()) request.cancel();
  if (request.wait(player.environment().machine().executor().now() + kPatience) != STATUS_TIMEOUT) return;
  auto state = player.program().state(pin);
  if (state.ok()) player.program().set_state(pin, KSSTATE_STOP);
  request.wait();
  if (state.ok()) player.program().set_state(pin, state.value());
}

// Whatever such a request gets into may wait for ever: it is cancelled then.
void attack(KsPlayer& player, Weapons& weapons, HANDLE handle, int rounds) {
  KsEnvironment& environment = player.environment();
  nt::Process::Inside inside(player.program().process());
  auto file = environment.machine().files().find(&player.program().process(), handle, UserMode);
  if (!file.ok()) return;
  for (int i = 0; i < rounds; ++i) {
    weapons.load();
    nt::IoRequest request(environment.machine());
    request.start({*file.value(), kCodes[environment.choose(std::size(kCodes))], weapons.address(), weapons.size(),
                   weapons.address(), weapons.size(), UserMode});
    if (request.pending()) environment.rest(10 * kMillisecond);
    give_up(player, handle, request);
  }
  environment.machine().files().dereference(*file.value());
}

// Connect requests and headers that are nearly right.
void wrong_requests(KsPlayer& player, HANDLE filter, const KsPinQuery& query) {
  KsEnvironment& environment = player.environment();
  auto format = choose_format(player.program(), filter, query);
  if (!format) return;
  KSPIN_CONNECT connect = ks::standard_connect(query.pin);
  std::vector<uint8_t> request(sizeof(connect) + format->size());
  for (int i = 0; i < 6; ++i) {
    memcpy(request.data(), &connect, sizeof(connect));
    memcpy(request.data() + sizeof(connect), format->data(), format->size());
    for (uint32_t k = environment.choose(4); k-- > 0;)
      request[environment.choose(request.size())] = environment.choose(256);
    auto pin = player.program().open_child(filter, environment.choose(8) ? KSNAME_Pin : KSNAME_Clock, request.data(),
                                           environment.perhaps() ? request.size() : environment.choose(request.size()));
    if (pin.ok()) player.program().close(pin.take());
  }
}

void wrong_headers(KsPlayer& player, KsPlayedPin& pin) {
  KsEnvironment& environment = player.environment();
  for (int i = 0; i < 8; ++i) {
    ks::ProgramFrame frame(player.program(), 1 + environment.choose(4096),
                           sizeof(KSSTREAM_HEADER) + 8 * environment.choose(16));
    KSSTREAM_HEADER& header = frame.header();
    switch (environment.choose(8)) {
      case 0:
        header.Size = environment.choose(200);
        break;
      case 1:
        header.DataUsed = environment.choose(8192);
        break;
      case 2:
        header.FrameExtent = environment.perhaps() ? 0xffffffff : 1u << 20;
        break;
      case 3:
        header.Data = reinterpret_cast<void*>(uintptr_t{16});
        break;
      case 4:
        header.OptionsFlags = 0xffffffff;
        break;
      case 5:
        header.PresentationTime.Numerator = 0;
        break;
      default:
        break;  // only too small for the format
    }
    environment.perhaps() ? frame.read(pin.handle) : frame.write(pin.handle);
    environment.rest(environment.choose(40) * kMillisecond);
    give_up(player, pin.handle, frame);
  }
}

void bad_input(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  KsPlayer player(environment, "hostile");
  Weapons weapons(environment);
  for (HANDLE filter : player.open_filters()) {
    attack(player, weapons, filter, 12);
    for (const KsPinQuery& query : player.pins(filter)) {
      wrong_requests(player, filter, query);
      if (!KsPlayer::takes_requests(query)) continue;
      KsPlayedPin* pin = player.open(filter, query);
      if (!pin) continue;
      attack(player, weapons, pin->handle, 12);
      player.go(*pin, KSSTATE_RUN);
      player.feed_needed(*pin, 4);
      wrong_headers(player, *pin);
      player.go(*pin, KSSTATE_STOP);
      player.close(*pin);
    }
  }
  player.close_in_any_order();
}

}  // namespace

std::vector<Scenario> ks_hostile_scenarios() {
  return {{"ks/bad-input", "buffers, sets, formats and headers of every wrong kind", &bad_input,
           Scenario::Needs::Streaming}};
}

}  // namespace host
