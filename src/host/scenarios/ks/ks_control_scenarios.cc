// The controls of a camera: processing amplifier, camera control, video control with its trigger. Their pages say that
// request and data are the same structure, and that their target is the filter (stream/ksproperty-videoprocamp-*,
// ksproperty-cameracontrol-*, ksproperty-videocontrol-mode).
#include <climits>
#include <cstring>
#include <optional>

#include "host/scenarios/kmd/scenario_environment.h"
#include "host/scenarios/ks/ks_scenarios.h"
#include "host/scenarios/ks/ks_streaming.h"

namespace host {
namespace {

constexpr ULONG kIds = 24;  // more than there are in each set

// What basic support says of a control.
struct ControlLimits {
  ULONG access = 0;  // KSPROPERTY_TYPE_GET, KSPROPERTY_TYPE_SET
  LONG lowest = 0, highest = 0;
};

// One control of an open filter. A request has a value and flags behind the KSPROPERTY, some a second value behind
// them.
class CameraControl {
 public:
  CameraControl(ks::Program& program, HANDLE filter, const GUID& set, ULONG id) : program_(program), filter_(filter) {
    request_.Property.Set = set;
    request_.Property.Id = id;
  }

  // Nothing when the driver does not have the control.
  std::optional<ControlLimits> support() {
    request_.Property.Flags = KSPROPERTY_TYPE_BASICSUPPORT;
    ULONG access = 0;
    if (!NT_SUCCESS(send(kShort, &access, sizeof(access)))) return std::nullopt;
    ControlLimits limits{access, 0, 0};
    std::vector<uint8_t> description(512);
    if (!NT_SUCCESS(send(kShort, description.data(), static_cast<ULONG>(description.size())))) {
      return limits;
    }
    // KSPROPERTY_DESCRIPTION, the header of its first list of members, and the first of them.
    KSPROPERTY_MEMBERSHEADER members;
    memcpy(&members, description.data() + sizeof(KSPROPERTY_DESCRIPTION), sizeof(members));
    if (members.MembersFlags & (KSPROPERTY_MEMBER_RANGES | KSPROPERTY_MEMBER_STEPPEDRANGES)) {
      KSPROPERTY_STEPPING_LONG range;
      memcpy(&range, description.data() + sizeof(KSPROPERTY_DESCRIPTION) + sizeof(members), sizeof(range));
      limits.lowest = range.Bounds.SignedMinimum;
      limits.highest = range.Bounds.SignedMaximum;
    }
    return limits;
  }

  std::optional<LONG> get() {
    request_.Property.Flags = KSPROPERTY_TYPE_GET;
    for (ULONG bytes : {kShort, kLong}) {
      Request answer{};
      if (NT_SUCCESS(send(bytes, &answer, bytes))) return answer.Value1;
    }
    return std::nullopt;
  }
  bool set(LONG value, ULONG flags) {
    request_.Property.Flags = KSPROPERTY_TYPE_SET;
    request_.Value1 = request_.Value2 = value;
    request_.Flags = flags;
    for (ULONG bytes : {kShort, kLong}) {
      Request data = request_;
      if (NT_SUCCESS(send(bytes, &data, bytes))) return true;
    }
    return false;
  }
  // Requests and data that are cut short: a driver looks at what there is, or lets AVStream do so.
  void send_short() {
    constexpr ULONG kSizes[] = {0, 1, sizeof(ULONG), sizeof(KSPROPERTY), sizeof(KSPROPERTY) + 3, kShort - 1};
    for (ULONG flags : {KSPROPERTY_TYPE_GET, KSPROPERTY_TYPE_SET}) {
      request_.Property.Flags = flags;
      for (ULONG bytes : kSizes) {
        Request data = request_;
        send(kShort, &data, bytes);
        if (bytes >= sizeof(KSPROPERTY)) send(bytes, &data, kShort);
      }
    }
  }

 private:
  using Request = KSPROPERTY_VIDEOPROCAMP_S2;
  static constexpr ULONG kShort = sizeof(KSPROPERTY_VIDEOPROCAMP_S), kLong = sizeof(Request);

  NTSTATUS send(ULONG request_bytes, void* data, ULONG bytes) {
    return program_.control(filter_, IOCTL_KS_PROPERTY, &request_, request_bytes, data, bytes);
  }

  ks::Program& program_;
  HANDLE filter_;
  Request request_{};
};

struct Tried {
  size_t controls = 0;  // that there are
  size_t answered = 0;  // of them, that were got or set
};

void turn_control(KsPlayer& player, HANDLE filter, const GUID& set, ULONG id, Tried& tried) {
  CameraControl control(player.program(), filter, set, id);
  auto limits = control.support();
  if (!limits) return;  // the driver does not have it
  ++tried.controls;
  auto before = control.get();
  bool answered = before.has_value();
  const int64_t lowest = limits->lowest, highest = limits->highest;
  const int64_t values[] = {before.value_or(limits->lowest),
                            lowest,
                            highest,
                            (lowest + highest) / 2,
                            lowest - 1,
                            highest + 1,
                            INT_MIN,
                            INT_MAX};
  for (int64_t value : values) {
    for (ULONG flags : {ULONG{KSPROPERTY_VIDEOPROCAMP_FLAGS_MANUAL}, ULONG{KSPROPERTY_VIDEOPROCAMP_FLAGS_AUTO}, 0u}) {
      answered |= control.set(static_cast<LONG>(value), flags);
    }
    control.get();
  }
  control.send_short();
  if (before) control.set(*before, KSPROPERTY_VIDEOPROCAMP_FLAGS_MANUAL);
  tried.answered += answered;
}

// The modes of each stream, and of streams that there are not; the trigger among them.
void turn_video_control(KsPlayer& player, HANDLE filter, ULONG pins, Tried& tried) {
  for (ULONG id : {KSPROPERTY_VIDEOCONTROL_CAPS, KSPROPERTY_VIDEOCONTROL_ACTUAL_FRAME_RATE,
                   KSPROPERTY_VIDEOCONTROL_FRAME_RATES, KSPROPERTY_VIDEOCONTROL_MODE}) {
    CameraControl control(player.program(), filter, PROPSETID_VIDCAP_VIDEOCONTROL, id);
    if (!control.support()) continue;  // the driver does not have it
    ++tried.controls;
    control.send_short();
    bool answered = false;
    for (ULONG stream : {0u, pins - 1, pins, UINT_MAX}) {
      for (LONG mode :
           {LONG{0}, LONG{KS_VideoControlFlag_FlipHorizontal}, LONG{KS_VideoControlFlag_FlipVertical},
            LONG{KS_VideoControlFlag_ExternalTriggerEnable}, LONG{KS_VideoControlFlag_Trigger}, LONG{-1}, LONG{0}}) {
        answered |= player.video_control(filter, id, stream, mode);
      }
    }
    tried.answered += answered;
  }
}

Tried turn_everything(KsPlayer& player) {
  Tried tried;
  for (HANDLE filter : player.filters()) {
    for (ULONG id = 0; id < kIds; ++id) {
      turn_control(player, filter, PROPSETID_VIDCAP_VIDEOPROCAMP, id, tried);
      turn_control(player, filter, PROPSETID_VIDCAP_CAMERACONTROL, id, tried);
    }
    turn_video_control(player, filter, KsPinQuery::pins(player.program(), filter), tried);
  }
  return tried;
}

// Once with no pin open, once for each pin while it streams.
void controls(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started()) return;
  KsPlayer player(environment, "operator");
  player.open_filters();
  Tried tried = turn_everything(player);
  if (tried.controls == 0) {
    environment.skip("the driver has no camera control, no processing amplifier and no video control");
    return;
  }
  if (tried.answered == 0) environment.leave_incomplete("no control of the camera could be got or set");
  for (auto& [filter, query] : stream_pins(player)) {
    KsPlayedPin* pin = player.open(filter, query);
    if (!pin) continue;  // told
    if (player.run(*pin)) {
      player.send(*pin, 3);
      turn_everything(player);
      player.stream(*pin, 2);
    }
    player.take_back(*pin);
    player.close(*pin);
  }
  player.close_in_any_order();
}

}  // namespace

std::vector<Scenario> ks_control_scenarios() {
  return {{"ks/controls", "camera controls, in range and out of it, and the photo trigger", &controls,
           Scenario::Needs::Streaming}};
}

}  // namespace host
