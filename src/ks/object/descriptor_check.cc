#include "ks/object/descriptor_check.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "ks/allocator/framing.h"
#include "ks/property/set_table.h"

namespace ks {
namespace {

using nt::Violation;

struct Exclusive {
  ULONG flags;
  const char* names;
};
constexpr Exclusive kFilterFlags[] = {
    {KSFILTER_FLAG_CRITICAL_PROCESSING | KSFILTER_FLAG_HYPERCRITICAL_PROCESSING,
     "KSFILTER_FLAG_CRITICAL_PROCESSING and KSFILTER_FLAG_HYPERCRITICAL_PROCESSING"},
};
constexpr Exclusive kPinFlags[] = {
    {KSPIN_FLAG_CRITICAL_PROCESSING | KSPIN_FLAG_HYPERCRITICAL_PROCESSING,
     "KSPIN_FLAG_CRITICAL_PROCESSING and KSPIN_FLAG_HYPERCRITICAL_PROCESSING"},
    {KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING | KSPIN_FLAG_INITIATE_PROCESSING_ON_EVERY_ARRIVAL,
     "KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING and KSPIN_FLAG_INITIATE_PROCESSING_ON_EVERY_ARRIVAL"},
    {KSPIN_FLAG_FRAMES_NOT_REQUIRED_FOR_PROCESSING | KSPIN_FLAG_SOME_FRAMES_REQUIRED_FOR_PROCESSING,
     "KSPIN_FLAG_FRAMES_NOT_REQUIRED_FOR_PROCESSING and KSPIN_FLAG_SOME_FRAMES_REQUIRED_FOR_PROCESSING"},
    {KSPIN_FLAG_PROCESS_IN_RUN_STATE_ONLY | KSPIN_FLAG_PROCESS_IF_ANY_IN_RUN_STATE,
     "KSPIN_FLAG_PROCESS_IN_RUN_STATE_ONLY and KSPIN_FLAG_PROCESS_IF_ANY_IN_RUN_STATE"},
};

// Stands for the class's own answer to KSPROPERTY_STREAM_ALLOCATOR, which every pin has unless its driver supersedes
// it.
NTSTATUS answer_of_the_class(PIRP, PKSIDENTIFIER, PVOID) { return STATUS_SUCCESS; }
constexpr KSPROPERTY_ITEM kClassItem = {KSPROPERTY_STREAM_ALLOCATOR,
                                        {answer_of_the_class},
                                        sizeof(KSPROPERTY),
                                        sizeof(HANDLE),
                                        {answer_of_the_class},
                                        nullptr,
                                        0,
                                        nullptr,
                                        nullptr,
                                        0};

const KSPROPERTY_ITEM* stream_allocator(const KSPIN_DESCRIPTOR_EX& pin) {
  const KSAUTOMATION_TABLE* table = pin.AutomationTable;
  if (!table || !table->PropertySets) return &kClassItem;
  SetList<KSPROPERTY_SET> list{table->PropertySets, table->PropertySetsCount, table->PropertyItemSize, true};
  const KSPROPERTY_SET* set = list.find(KSPROPSETID_Stream);
  const KSPROPERTY_ITEM* item = set ? list.find(*set, KSPROPERTY_STREAM_ALLOCATOR) : nullptr;
  return item ? item : &kClassItem;
}

bool processes(const KSFILTER_DESCRIPTOR& filter) { return filter.Dispatch && filter.Dispatch->Process; }
bool processes(const KSPIN_DESCRIPTOR_EX& pin) { return pin.Dispatch && pin.Dispatch->Process; }

// Judged by the descriptor alone: the interface is known only when a client connects.
bool standard_transport(const KSPIN_DESCRIPTOR_EX& pin) {
  if (pin.Flags & KSPIN_FLAG_USE_STANDARD_TRANSPORT) return true;
  if (pin.Flags & KSPIN_FLAG_DO_NOT_USE_STANDARD_TRANSPORT) return false;
  KSPIN_COMMUNICATION communication = pin.PinDescriptor.Communication;
  return communication != KSPIN_COMMUNICATION_NONE && communication != KSPIN_COMMUNICATION_BRIDGE;
}

// Reads the tables of a driver and collects the mistakes in them. Lives on the stack for one check.
class Judge {
 public:
  explicit Judge(const char* name) : name_(name) {}

  std::vector<Complaint> take() { return std::move(complaints_); }

  void device(const KSDEVICE_DESCRIPTOR& device) {
    if (device.Version != 0 && device.Version != KSDEVICE_DESCRIPTOR_VERSION &&
        device.Version != KSDEVICE_DESCRIPTOR_VERSION_2) {
      complain(Violation::KsDescriptorShape, "the device's descriptor has the version {:#x}, which there is not",
               device.Version);
    }
    if (device.FilterDescriptorsCount != 0 && !device.FilterDescriptors) {
      complain(Violation::KsDescriptorShape, "the device has {} filter descriptors and no array of them",
               device.FilterDescriptorsCount);
      return;
    }
    for (ULONG i = 0; i < device.FilterDescriptorsCount; ++i) {
      name_ = fmt::format("filter {}", i);
      if (device.FilterDescriptors[i]) {
        filter(*device.FilterDescriptors[i]);
      } else {
        complain(Violation::KsDescriptorShape, "{} has no descriptor", name_);
      }
    }
  }

  void filter(const KSFILTER_DESCRIPTOR& filter) {
    if (filter.Version != KSFILTER_DESCRIPTOR_VERSION) {
      complain(Violation::KsDescriptorShape, "{} has the version {:#x} and not KSFILTER_DESCRIPTOR_VERSION", name_,
               filter.Version);
    }
    flags(filter.Flags, kFilterFlags);
    array("categories", filter.CategoriesCount, filter.Categories);
    array("connections", filter.ConnectionsCount, filter.Connections);
    table("node", filter.NodeDescriptorsCount, filter.NodeDescriptorSize, sizeof(KSNODE_DESCRIPTOR),
          filter.NodeDescriptors);
    if (table("pin", filter.PinDescriptorsCount, filter.PinDescriptorSize, sizeof(KSPIN_DESCRIPTOR_EX),
              filter.PinDescriptors)) {
      pins(filter);
    }
  }

  void pin(const KSPIN_DESCRIPTOR_EX& pin, const KSFILTER_DESCRIPTOR& filter) {
    flags(pin.Flags, kPinFlags);
    if ((pin.Flags & KSPIN_FLAG_SPLITTER) && pin.InstancesPossible <= 1) {
      complain(Violation::KsDescriptorFlags, "{} is a splitter of which there can be {} instance(s)", name_,
               pin.InstancesPossible);
    }
    if (processes(filter) && processes(pin)) {
      complain(Violation::KsTwoProcessors, "{} has a process routine, and so has its filter", name_);
    }
    if ((pin.Flags & KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING) && standard_transport(pin) && !processes(filter) &&
        !processes(pin)) {
      complain(Violation::KsDescriptorFlags,
               "{} has KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING, and there is no process routine that it could attempt",
               name_);
    }
    const KSPIN_DESCRIPTOR& plain = pin.PinDescriptor;
    array("data ranges", plain.DataRangesCount, plain.DataRanges);
    array("interfaces", plain.InterfacesCount, plain.Interfaces);
    array("mediums", plain.MediumsCount, plain.Mediums);
    bool codec = filter.Categories && is_codec(filter);
    for (const FramingComplaint& found : judge_framing({pin, stream_allocator(pin), codec})) {
      complain(found.what, "{} {}", name_, found.sentence);
    }
  }

 private:
  template <typename... Args>
  void complain(Violation what, fmt::format_string<Args...> format, Args&&... args) {
    complaints_.push_back({what, fmt::format(format, std::forward<Args>(args)...)});
  }

  void pins(const KSFILTER_DESCRIPTOR& filter) {
    std::string filters = std::exchange(name_, {});
    const auto* first = reinterpret_cast<const uint8_t*>(filter.PinDescriptors);
    for (ULONG i = 0; i < filter.PinDescriptorsCount; ++i) {
      name_ = fmt::format("pin {} of {}", i, filters);
      pin(*reinterpret_cast<const KSPIN_DESCRIPTOR_EX*>(first + size_t{i} * filter.PinDescriptorSize), filter);
    }
    name_ = std::move(filters);
  }

  template <size_t kCount>
  void flags(ULONG flags, const Exclusive (&pairs)[kCount]) {
    for (const Exclusive& pair : pairs) {
      if ((flags & pair.flags) == pair.flags) {
        complain(Violation::KsDescriptorFlags, "{} has {}, which exclude each other", name_, pair.names);
      }
    }
  }

  void array(const char* what, ULONG count, const void* at) {
    if (count != 0 && !at)
      complain(Violation::KsDescriptorShape, "{} has {} {} and no array of them", name_, count, what);
  }

  // An array whose items may be longer than documented, when it has any. Whether it can be read.
  bool table(const char* what, ULONG count, ULONG size, size_t least, const void* at) {
    if (count == 0) return true;
    if (size % 8 != 0 || size < least) {
      complain(Violation::KsDescriptorShape,
               "{} has {} descriptors of {} bytes; it is to be a multiple of 8, and {} at least", name_, what, size,
               least);
      return false;
    }
    if (!at)
      complain(Violation::KsDescriptorShape, "{} has {} {} descriptors and no array of them", name_, count, what);
    return at != nullptr;
  }

  std::string name_;  // of what is being read
  std::vector<Complaint> complaints_;
};

}  // namespace

std::vector<Complaint> judge_device(const KSDEVICE_DESCRIPTOR* descriptor) {
  Judge judge("the device");
  if (descriptor) judge.device(*descriptor);
  return judge.take();
}

std::vector<Complaint> judge_filter(const KSFILTER_DESCRIPTOR& descriptor) {
  Judge judge("the filter");
  judge.filter(descriptor);
  return judge.take();
}

std::vector<Complaint> judge_pin(const KSPIN_DESCRIPTOR_EX& descriptor, const KSFILTER_DESCRIPTOR& filter) {
  Judge judge("the pin");
  judge.pin(descriptor, filter);
  return judge.take();
}

}  // namespace ks
