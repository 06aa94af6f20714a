#include "ks/allocator/framing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "abi/ks/ksmedia.h"
#include "base/raw_enum.h"

namespace ks {
namespace {

constexpr ULONG kLargestAlignment = 4095;  // a page; ours
constexpr ULONG kFewFrames = 3;            // "specifying-allocator-framing-in-avstream-codecs"
constexpr uint64_t kMostSteps = 1u << 16;  // how far two steppings are searched for a common size; ours

bool same(const GUID& a, const GUID& b) { return memcmp(&a, &b, sizeof(GUID)) == 0; }
bool wildcard(const GUID& type) { return same(type, KSMEMORY_TYPE_WILDCARD); }
// "The Requirements flags are preferences only": the pin takes other frames too.
bool prefers_only(const KS_FRAMING_ITEM& item) { return item.Flags & KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY; }
bool is_mask(ULONG alignment) { return (alignment & (alignment + 1)) == 0; }

bool known_pool(const POOL_TYPE& type) {
  switch (base::raw(type)) {
    case NonPagedPool:
    case PagedPool:
    case NonPagedPoolCacheAligned:
    case PagedPoolCacheAligned:
    case NonPagedPoolNx:
    case NonPagedPoolNxCacheAligned:
      return true;
    default:
      return false;
  }
}

const KSALLOCATOR_DISPATCH* allocator_of(const KSPIN_DESCRIPTOR_EX& pin) {
  return pin.Dispatch ? pin.Dispatch->Allocator : nullptr;
}

// --- Lint ---

class Lint {
 public:
  explicit Lint(const FramingSubject& subject) : subject_(subject) {}

  std::vector<FramingComplaint> run() {
    if (const KSALLOCATOR_DISPATCH* allocator = allocator_of(subject_.pin)) check_dispatch(*allocator);
    if (const KSALLOCATOR_FRAMING_EX* framing = subject_.pin.AllocatorFraming) check_framing(*framing);
    return std::move(complaints_);
  }

 private:
  template <typename... Args>
  void complain(nt::Violation what, fmt::format_string<Args...> format, Args&&... args) {
    complaints_.push_back({what, fmt::format(format, std::forward<Args>(args)...)});
  }

  void check_dispatch(const KSALLOCATOR_DISPATCH& allocator) {
    const std::pair<const char*, bool> members[] = {{"InitializeAllocator", allocator.InitializeAllocator != nullptr},
                                                    {"DeleteAllocator", allocator.DeleteAllocator != nullptr},
                                                    {"Allocate", allocator.Allocate != nullptr},
                                                    {"Free", allocator.Free != nullptr}};
    for (const auto& [name, there] : members) {
      if (!there) complain(nt::Violation::KsAllocatorDispatchPartial, "has an allocator without {}", name);
    }
    const KSPROPERTY_ITEM* item = subject_.stream_allocator;
    if (!item || (!item->GetPropertyHandler && !item->SetPropertyHandler)) {
      complain(nt::Violation::KsAllocatorPropertyMissing,
               "provides an allocator and does not support KSPROPERTY_STREAM_ALLOCATOR");
    }
  }

  void check_framing(const KSALLOCATOR_FRAMING_EX& framing) {
    if (framing.CountItems == 0) complain(nt::Violation::KsFramingStepping, "has a framing without items");
    if (framing.PinFlags || framing.PinWeight) {
      complain(nt::Violation::KsFramingStepping, "has a framing whose PinFlags or PinWeight is not zero");
    }
    for (ULONG i = 0; i < framing.CountItems; ++i) check_item(i, framing.FramingItem[i]);
  }

  void check_item(ULONG index, const KS_FRAMING_ITEM& item) {
    bool own = allocator_of(subject_.pin) != nullptr;
    check_range(index, "PhysicalRange", item.PhysicalRange);
    check_range(index, "FramingRange", item.FramingRange.Range);
    if (item.FramingRange.InPlaceWeight || item.FramingRange.NotInPlaceWeight) {
      complain(nt::Violation::KsFramingStepping, "has a framing item {} with a weight, which is to be zero", index);
    }
    if (!own && (item.Flags & KSALLOCATOR_FLAG_CAN_ALLOCATE)) {
      complain(nt::Violation::KsCanAllocateUnfounded,
               "has a framing item {} with KSALLOCATOR_FLAG_CAN_ALLOCATE, and no allocator", index);
    }
    if (subject_.codec && item.Frames < kFewFrames) {
      complain(nt::Violation::KsFramingFewFrames, "allows {} outstanding frames; a codec's pin should allow {}",
               item.Frames, kFewFrames);
    }
  }

  void check_range(ULONG index, const char* name, const KS_FRAMING_RANGE& range) {
    if (well_formed(range)) return;
    complain(nt::Violation::KsFramingStepping, "has a framing item {} whose {} is {} to {} in steps of {}", index, name,
             range.MinFrameSize, range.MaxFrameSize, range.Stepping);
  }

  const FramingSubject& subject_;
  std::vector<FramingComplaint> complaints_;
};

// --- Negotiation ---

// The sizes low, low + step, … up to high.
struct Sizes {
  uint64_t low, high, step;
};

// A range of zeroes is one that the driver left out.
Sizes sizes_of(const KS_FRAMING_RANGE& range) {
  if (range.MaxFrameSize == 0) return {range.MinFrameSize, UINT32_MAX, 1};
  return {range.MinFrameSize, range.MaxFrameSize, std::max<uint64_t>(range.Stepping, 1)};
}

uint64_t round_up_in(const Sizes& sizes, uint64_t at_least) {
  if (at_least <= sizes.low) return sizes.low;
  return sizes.low + (at_least - sizes.low + sizes.step - 1) / sizes.step * sizes.step;
}

// The smallest size of `at_least` bytes or more that all of them contain.
std::optional<uint32_t> common_size(const std::vector<Sizes>& all, uint64_t at_least) {
  uint64_t size = std::max<uint64_t>(at_least, 1);
  for (uint64_t tries = 0; tries < kMostSteps; ++tries) {
    uint64_t next = size;
    for (const Sizes& sizes : all) {
      next = round_up_in(sizes, next);
      if (next > sizes.high) return std::nullopt;
    }
    if (next == size) return static_cast<uint32_t>(size);
    size = next;
  }
  return std::nullopt;
}

// Which kinds of memory go together: equal ones, anything with a wildcard, and system memory of either pool.
bool memory_agrees(const GUID& a, const GUID& b) {
  auto kernel = [](const GUID& type) {
    return same(type, KSMEMORY_TYPE_KERNEL_PAGED) || same(type, KSMEMORY_TYPE_KERNEL_NONPAGED);
  };
  return wildcard(a) || wildcard(b) || same(a, b) || (same(a, KSMEMORY_TYPE_SYSTEM) && kernel(b)) ||
         (same(b, KSMEMORY_TYPE_SYSTEM) && kernel(a));
}

// One side of the negotiation: an item, or that there is no requirement.
struct FramingRequest {
  const KS_FRAMING_ITEM* item;

  bool memory_is(const GUID& type) const { return item && same(item->MemoryType, type); }
  // The page of KS_FRAMING_ITEM translates the kinds of kernel memory into the requirement, so a preference covers
  // both.
  bool names_system_memory() const {
    return item && ((item->Flags & KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY) || memory_is(KSMEMORY_TYPE_SYSTEM) ||
                    memory_is(KSMEMORY_TYPE_KERNEL_PAGED) || memory_is(KSMEMORY_TYPE_KERNEL_NONPAGED));
  }
  bool demands_system_memory() const { return names_system_memory() && !prefers_only(*item); }
  ULONG frames() const { return item ? item->Frames : 0; }
  ULONG alignment() const { return item && is_mask(item->FileAlignment) ? item->FileAlignment : 0; }
};

std::optional<uint32_t> frame_size(const FramingRequest& source, const FramingRequest& sink, uint32_t sample_bytes) {
  std::vector<Sizes> limits, preferred;
  bool asked = sample_bytes != 0;
  for (const FramingRequest* request : {&source, &sink}) {
    if (!request->item) continue;
    limits.push_back(sizes_of(request->item->PhysicalRange));
    preferred.push_back(sizes_of(request->item->FramingRange.Range));
    asked |= limits.back().low != 0 || preferred.back().low != 0;
  }
  uint32_t at_least = asked ? sample_bytes : kFrameBytesUnlessAsked;
  std::vector<Sizes> both = limits;
  both.insert(both.end(), preferred.begin(), preferred.end());
  if (auto size = common_size(both, at_least)) return size;
  return common_size(limits, at_least);  // the framing range is what would be best, the physical one what there can be
}

std::optional<KSALLOCATOR_FRAMING> agree(const FramingRequest& source, const FramingRequest& sink,
                                         uint32_t sample_bytes) {
  if (source.item && sink.item && !memory_agrees(source.item->MemoryType, sink.item->MemoryType)) return std::nullopt;
  std::optional<uint32_t> size = frame_size(source, sink, sample_bytes);
  if (!size) return std::nullopt;
  KSALLOCATOR_FRAMING framing{};
  // An allocator that is created with this option "must allocate memory from the pool" (ks/ns-ks-ksallocator_framing).
  if (source.demands_system_memory() || sink.demands_system_memory()) {
    framing.OptionsFlags = KSALLOCATOR_OPTIONF_SYSTEM_MEMORY;
  }
  bool pageable = (source.memory_is(KSMEMORY_TYPE_KERNEL_PAGED) || sink.memory_is(KSMEMORY_TYPE_KERNEL_PAGED)) &&
                  !source.memory_is(KSMEMORY_TYPE_KERNEL_NONPAGED) && !sink.memory_is(KSMEMORY_TYPE_KERNEL_NONPAGED);
  framing.PoolType = pageable ? PagedPool : NonPagedPool;
  framing.Frames = std::max(source.frames(), sink.frames());
  if (framing.Frames == 0) framing.Frames = kFramesUnlessAsked;
  framing.FrameSize = *size;
  framing.FileAlignment = std::min(source.alignment() | sink.alignment(), kLargestAlignment);
  return framing;
}

std::vector<FramingRequest> requests_of(const KSALLOCATOR_FRAMING_EX* framing) {
  if (!framing || framing->CountItems == 0) return {FramingRequest{nullptr}};
  std::vector<FramingRequest> requests;
  for (ULONG i = 0; i < framing->CountItems; ++i) requests.push_back({&framing->FramingItem[i]});
  return requests;
}

bool must_allocate(const KSPIN_DESCRIPTOR_EX& pin) {
  const KSALLOCATOR_FRAMING_EX* framing = pin.AllocatorFraming;
  if (!framing) return false;
  return std::any_of(framing->FramingItem, framing->FramingItem + framing->CountItems, [](const KS_FRAMING_ITEM& item) {
    ULONG required = item.MemoryFlags | (prefers_only(item) ? 0 : item.Flags);
    return (required & KSALLOCATOR_REQUIREMENTF_MUST_ALLOCATE) != 0;
  });
}

}  // namespace

bool paged(POOL_TYPE type) { return type == PagedPool || type == PagedPoolCacheAligned; }

base::Result<> judge(const KSALLOCATOR_FRAMING& framing) {
  if (framing.Reserved) return base::Failure(STATUS_INVALID_PARAMETER, "a reserved member of the framing is not zero");
  if (framing.OptionsFlags & ~ULONG{KSALLOCATOR_OPTIONF_VALID}) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the framing has options that do not exist");
  }
  if (!known_pool(framing.PoolType)) return base::Failure(STATUS_INVALID_PARAMETER, "the framing names no pool");
  if (!is_mask(framing.FileAlignment) || framing.FileAlignment > kLargestAlignment) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the framing's alignment is no mask of up to a page");
  }
  return {};
}

bool serves_dispatch_level(const KSALLOCATOR_FRAMING& framing) { return !paged(framing.PoolType); }

bool well_formed(const KS_FRAMING_RANGE& range) {
  if (range.MinFrameSize > range.MaxFrameSize) return false;
  return range.Stepping <= 1 || range.Stepping <= range.MaxFrameSize - range.MinFrameSize;
}

base::Result<> judge(const KSALLOCATOR_FRAMING_EX& framing, size_t bytes) {
  constexpr size_t kHead = offsetof(KSALLOCATOR_FRAMING_EX, FramingItem);
  if (bytes < kHead || framing.CountItems == 0 || (bytes - kHead) / sizeof(KS_FRAMING_ITEM) < framing.CountItems) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "the framing has no items, or more than its size has room for");
  }
  for (ULONG i = 0; i < framing.CountItems; ++i) {
    const KS_FRAMING_ITEM& item = framing.FramingItem[i];
    if (!well_formed(item.PhysicalRange) || !well_formed(item.FramingRange.Range)) {
      return base::Failure(STATUS_INVALID_PARAMETER, "a range of frame sizes is none");
    }
  }
  return {};
}

std::vector<FramingComplaint> judge_framing(const FramingSubject& subject) { return Lint(subject).run(); }

bool is_codec(const KSFILTER_DESCRIPTOR& filter) {
  return std::any_of(filter.Categories, filter.Categories + filter.CategoriesCount, [](const GUID& category) {
    const GUID* codecs[] = {&KSCATEGORY_DATACOMPRESSOR,    &KSCATEGORY_DATADECOMPRESSOR,  &KSCATEGORY_ENCODER,
                            &KSMFT_CATEGORY_AUDIO_DECODER, &KSMFT_CATEGORY_AUDIO_ENCODER, &KSMFT_CATEGORY_VIDEO_DECODER,
                            &KSMFT_CATEGORY_VIDEO_ENCODER};
    return std::any_of(std::begin(codecs), std::end(codecs), [&](const GUID* codec) { return same(*codec, category); });
  });
}

Provider choose_provider(const KSPIN_DESCRIPTOR_EX& source, const KSPIN_DESCRIPTOR_EX& sink) {
  bool source_can = allocator_of(source) != nullptr;
  if (source_can && must_allocate(source)) return Provider::Source;
  if (allocator_of(sink)) return Provider::Sink;
  return source_can ? Provider::Source : Provider::Default;
}

bool fits_default_allocator(const KSALLOCATOR_FRAMING_EX* framing) {
  if (!framing) return true;
  return std::all_of(framing->FramingItem, framing->FramingItem + framing->CountItems,
                     [](const KS_FRAMING_ITEM& item) { return FramingRequest{&item}.names_system_memory(); });
}

base::Result<KSALLOCATOR_FRAMING> negotiate(const KSALLOCATOR_FRAMING_EX* source, const KSALLOCATOR_FRAMING_EX* sink,
                                            uint32_t sample_bytes) {
  std::vector<FramingRequest> sinks = requests_of(sink);
  for (const FramingRequest& from : requests_of(source)) {
    for (const FramingRequest& to : sinks) {
      if (auto framing = agree(from, to, sample_bytes)) return *framing;
    }
  }
  return base::Failure(STATUS_NO_MATCH, "the two pins ask for frames that cannot be the same");
}

}  // namespace ks
