#include "events.h"

#include "testcam_user.h"

namespace testcam {
namespace {

// Of an entry for TESTCAM_EVENT_EVERY_NTH_PICTURE: what follows the entry in memory.
struct EveryNth {
  KSEVENT_ENTRY entry;
  ULONG every;
};

NTSTATUS add_every_nth(PIRP Irp, PKSEVENTDATA EventData, PKSEVENT_ENTRY EventEntry) {
  const ULONG every = reinterpret_cast<const TESTCAM_EVENTDATA*>(EventData)->Every;
  if (every == 0) return STATUS_INVALID_PARAMETER;
  reinterpret_cast<EveryNth*>(EventEntry)->every = every;
  return KsDefaultAddEventHandler(Irp, EventData, EventEntry);
}

// At DISPATCH_LEVEL: whether this one's turn has come.
BOOLEAN is_nth(PVOID Context, PKSEVENT_ENTRY EventEntry) {
  const LONGLONG number = *static_cast<const LONGLONG*>(Context);
  return number % reinterpret_cast<const EveryNth*>(EventEntry)->every == 0;
}

const KSEVENT_ITEM kConnectionEvents[] = {
    DEFINE_KSEVENT_ITEM(KSEVENT_CONNECTION_DATADISCONTINUITY, sizeof(KSEVENTDATA), 0, nullptr, nullptr, nullptr)};

const KSEVENT_ITEM kPictureEvents[] = {DEFINE_KSEVENT_ITEM(TESTCAM_EVENT_EVERY_NTH_PICTURE, sizeof(TESTCAM_EVENTDATA),
                                                           sizeof(EveryNth) - sizeof(KSEVENT_ENTRY), add_every_nth,
                                                           nullptr, nullptr)};

const KSEVENT_ITEM kControlEvents[] = {
    DEFINE_KSEVENT_ITEM(KSEVENT_VIDCAP_AUTO_UPDATE, sizeof(KSEVENTDATA), 0, nullptr, nullptr, nullptr)};

}  // namespace

const KSEVENT_SET kPinEventSets[2] = {
    DEFINE_KSEVENT_SET(&KSEVENTSETID_Connection, SIZEOF_ARRAY(kConnectionEvents), kConnectionEvents),
    DEFINE_KSEVENT_SET(&TESTCAM_EVENTSETID_PICTURE, SIZEOF_ARRAY(kPictureEvents), kPictureEvents),
};

const KSEVENT_SET kFilterEventSets[1] = {
    DEFINE_KSEVENT_SET(&KSEVENTSETID_VIDCAPTOSTI, SIZEOF_ARRAY(kControlEvents), kControlEvents),
};

void tell_discontinuity(PKSPIN pin) {
  KsPinGenerateEvents(pin, &KSEVENTSETID_Connection, KSEVENT_CONNECTION_DATADISCONTINUITY, 0, nullptr, nullptr,
                      nullptr);
}

void tell_picture(PKSPIN pin, LONGLONG number) {
  KsPinGenerateEvents(pin, &TESTCAM_EVENTSETID_PICTURE, TESTCAM_EVENT_EVERY_NTH_PICTURE, 0, nullptr, is_nth, &number);
}

void tell_control_changed(PKSFILTER filter) {
  KsFilterGenerateEvents(filter, &KSEVENTSETID_VIDCAPTOSTI, KSEVENT_VIDCAP_AUTO_UPDATE, 0, nullptr, nullptr, nullptr);
}

}  // namespace testcam
