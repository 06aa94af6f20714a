#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include "host/capture/capture_session.h"
#include "host/scenarios/ks/ks_driver.h"
#include "host/scenarios/ks/ks_pin_query.h"
#include "host/scenarios/ks/streaming_run.h"
#include "ks/object/create_name.h"
#include "ks/object/descriptor_check.h"
#include "ks/object/program.h"
#include "verifier/rules/rules.h"

namespace host {
namespace {

struct Named {
  ULONG flag;
  const char* name;
};

constexpr Named kPinFlags[] = {
    {KSPIN_FLAG_DISPATCH_LEVEL_PROCESSING, "dispatch-level"},
    {KSPIN_FLAG_CRITICAL_PROCESSING, "critical"},
    {KSPIN_FLAG_HYPERCRITICAL_PROCESSING, "hypercritical"},
    {KSPIN_FLAG_ASYNCHRONOUS_PROCESSING, "asynchronous"},
    {KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING, "do-not-initiate"},
    {KSPIN_FLAG_INITIATE_PROCESSING_ON_EVERY_ARRIVAL, "on-every-arrival"},
    {KSPIN_FLAG_FRAMES_NOT_REQUIRED_FOR_PROCESSING, "frames-not-required"},
    {KSPIN_FLAG_ENFORCE_FIFO, "fifo"},
    {KSPIN_FLAG_GENERATE_MAPPINGS, "mappings"},
    {KSPIN_FLAG_DISTINCT_TRAILING_EDGE, "trailing-edge"},
    {KSPIN_FLAG_PROCESS_IN_RUN_STATE_ONLY, "run-only"},
    {KSPIN_FLAG_SPLITTER, "splitter"},
    {KSPIN_FLAG_USE_STANDARD_TRANSPORT, "standard-transport"},
    {KSPIN_FLAG_DO_NOT_USE_STANDARD_TRANSPORT, "no-standard-transport"},
    {KSPIN_FLAG_FIXED_FORMAT, "fixed-format"},
    {KSPIN_FLAG_GENERATE_EOS_EVENTS, "eos-events"},
    {KSPIN_FLAG_IMPLEMENT_CLOCK, "clock"},
    {KSPIN_FLAG_SOME_FRAMES_REQUIRED_FOR_PROCESSING, "some-frames-required"},
    {KSPIN_FLAG_PROCESS_IF_ANY_IN_RUN_STATE, "if-any-runs"},
    {KSPIN_FLAG_DENY_USERMODE_ACCESS, "kernel-only"},
};

struct Category {
  GUID guid;
  const char* name;
};
const Category kCategories[] = {
    {KSCATEGORY_CAPTURE, "capture"},
    {KSCATEGORY_RENDER, "render"},
    {KSCATEGORY_VIDEO, "video"},
    {KSCATEGORY_AUDIO, "audio"},
    {KSCATEGORY_DATATRANSFORM, "transform"},
    {KSCATEGORY_VIDEO_CAMERA, "camera"},
    {PINNAME_VIDEO_CAPTURE, "video capture"},
    {PINNAME_VIDEO_PREVIEW, "video preview"},
};

std::string category_name(const GUID& guid) {
  for (const Category& category : kCategories) {
    if (category.guid == guid) return category.name;
  }
  std::u16string text = ks::guid_text(guid);
  return {text.begin(), text.end()};
}

std::string flag_names(ULONG flags) {
  std::string names;
  for (const Named& named : kPinFlags) {
    if (flags & named.flag) names += (names.empty() ? "" : " ") + std::string(named.name);
  }
  return names.empty() ? "none" : names;
}

const char* communication_name(KSPIN_COMMUNICATION communication) {
  constexpr const char* kNames[] = {"none", "sink", "source", "sink or source", "bridge"};
  return static_cast<size_t>(communication) < std::size(kNames) ? kNames[communication] : "?";
}

void write_framing(std::string& text, const KSALLOCATOR_FRAMING_EX* framing) {
  auto out = std::back_inserter(text);
  if (!framing) {
    fmt::format_to(out, "      framing  none\n");
    return;
  }
  for (ULONG i = 0; i < framing->CountItems; ++i) {
    const KS_FRAMING_ITEM& item = framing->FramingItem[i];
    fmt::format_to(out, "      framing  {} frames, {} to {} bytes in steps of {}, aligned to {}{}\n", item.Frames,
                   item.FramingRange.Range.MinFrameSize, item.FramingRange.Range.MaxFrameSize,
                   item.FramingRange.Range.Stepping, item.FileAlignment + 1,
                   item.Flags & KSALLOCATOR_FLAG_CAN_ALLOCATE ? ", can allocate" : "");
  }
}

void write_pin(std::string& text, ks::Program& program, HANDLE filter, ULONG pin, uint32_t number,
               const KSPIN_DESCRIPTOR_EX& descriptor) {
  auto out = std::back_inserter(text);
  KsPinQuery query = KsPinQuery::ask(program, filter, pin);
  fmt::format_to(out, "    pin {}  {}, {}, {} of {} instances{}\n", number,
                 query.flow == KSPIN_DATAFLOW_OUT ? "output" : "input", communication_name(query.communication),
                 query.instances.CurrentCount, query.instances.PossibleCount,
                 query.category ? ", " + category_name(*query.category) : "");
  for (size_t i = 0; i < query.range_count; ++i) {
    if (const KSDATARANGE* range = query.range(i)) fmt::format_to(out, "      range    {}\n", describe_range(*range));
  }
  write_framing(text, descriptor.AllocatorFraming);
  fmt::format_to(out, "      flags    {}\n", flag_names(descriptor.Flags));
  if (descriptor.Dispatch && descriptor.Dispatch->Allocator) fmt::format_to(out, "      allocator of its own\n");
}

const KSPIN_DESCRIPTOR_EX& pin_descriptor(const KSFILTER_DESCRIPTOR& filter, ULONG index) {
  const auto* first = reinterpret_cast<const uint8_t*>(filter.PinDescriptors);
  return *reinterpret_cast<const KSPIN_DESCRIPTOR_EX*>(first + size_t{index} * filter.PinDescriptorSize);
}

void write_driver(std::string& text, KsDriver& driver, nt::Machine& machine) {
  auto out = std::back_inserter(text);
  ks::Program program(machine, "list");
  ks::Device& device = driver.device();
  fmt::format_to(out, "{}: a device with {} filter{}\n", driver.name(), driver.filters(),
                 driver.filters() == 1 ? "" : "s");
  uint32_t number = 0;
  for (size_t i = 0; i < driver.filters(); ++i) {
    const ks::FilterFactory& factory = *device.factories()[i];
    const KSFILTER_DESCRIPTOR& descriptor = factory.descriptor();
    std::string reference(factory.reference().begin(), factory.reference().end());
    fmt::format_to(out, "  filter {}  {}\n    categories", i, reference);
    for (ULONG k = 0; k < descriptor.CategoriesCount; ++k) {
      fmt::format_to(out, "{} {}", k ? "," : "", category_name(descriptor.Categories[k]));
    }
    fmt::format_to(out, "\n");
    auto filter = program.open_filter(device, i);
    if (!filter.ok()) {
      fmt::format_to(out, "    cannot be opened: 0x{:08X}\n", static_cast<uint32_t>(filter.failure().code()));
      number += descriptor.PinDescriptorsCount;
      continue;
    }
    for (ULONG pin = 0; pin < descriptor.PinDescriptorsCount; ++pin, ++number) {
      write_pin(text, program, filter.value(), pin, number, pin_descriptor(descriptor, pin));
    }
  }
  size_t complaints = 0;
  for (const ks::Complaint& complaint : ks::judge_device((*device).Descriptor)) {
    fmt::format_to(out, "lint: {}: {}\n", verifier::rule_for(complaint.what).id, complaint.sentence);
    ++complaints;
  }
  if (!complaints) fmt::format_to(out, "lint: nothing\n");
}

}  // namespace

ListResult list_streams(const std::string& driver_path, const std::string& device, const std::string& files) {
  ListResult result;
  auto image = load_minidriver(driver_path, device);
  if (!image.ok()) {
    result.usage_error = image.error();
    return result;
  }
  StreamingRun run{
      .seed = 0, .name = "list", .files = files, .keep_going = false, .policy = {}, .images = {&image.value()}};
  bool ended = run.play(
      [&](ks::System& system) {
        KsDriver driver(system, image.value());
        if (!driver.start()) {
          result.incomplete = driver.refusal();
          return;
        }
        write_driver(result.text, driver, system.machine());
        driver.stop();
      },
      result.findings);
  if (!ended && result.incomplete.empty()) result.incomplete = "the machine stopped";
  return result;
}

}  // namespace host
