#include "dxgk/testing/altered_answers.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/check.h"

namespace dxgk::testing {
namespace {

using base::testing::FuzzInput;

FuzzInput* g_input = nullptr;  // the functions of a driver are told nothing that leads here

// --- What a call's argument points to ---

template <typename T>
void alter_beyond(FuzzInput&, const T&) {}

template <typename T>
void alter_array(FuzzInput& input, T* first, size_t count) {
  if (!first || !count) return;
  T& one = first[input.below(static_cast<uint32_t>(std::min<size_t>(count, 64)))];
  input.corrupt(&one, sizeof(one));
}

void alter_beyond(FuzzInput& input, const DXGKARG_CREATEALLOCATION& args) {
  alter_array(input, args.pAllocationInfo, args.NumAllocations);
}

void alter_beyond(FuzzInput& input, const DXGKARG_OPENALLOCATION& args) {
  alter_array(input, args.pOpenAllocation, args.NumAllocations);
}

// What it wrote last into a list that it was given.
void alter_beyond(FuzzInput& input, const DXGKARG_RENDER& args) {
  if (args.PatchLocationListInSize) input.corrupt(args.pPatchLocationListOut - 1, sizeof(*args.pPatchLocationListOut));
}

template <typename Out>
void alter_segments(FuzzInput& input, Out& out) {
  if (input.rarely(3)) {
    out.NbSegment = static_cast<UINT>(input.odd_number());
  } else if (out.pSegmentDescriptor && out.NbSegment && input.rarely(2)) {
    alter_array(input, out.pSegmentDescriptor, out.NbSegment);
  } else {
    input.corrupt(&out, sizeof(out));
  }
}

void alter_beyond(FuzzInput& input, const DXGKARG_QUERYADAPTERINFO& args) {
  switch (args.Type) {
    case DXGKQAITYPE_QUERYSEGMENT3:
      return alter_segments(input, *static_cast<DXGK_QUERYSEGMENTOUT3*>(args.pOutputData));
    case DXGKQAITYPE_QUERYSEGMENT4: {
      auto& out = *static_cast<DXGK_QUERYSEGMENTOUT4*>(args.pOutputData);
      if (input.rarely(3)) {
        out.NbSegment = static_cast<UINT>(input.odd_number());
      } else if (out.pSegmentDescriptor && out.NbSegment && input.rarely(2)) {
        input.corrupt(out.pSegmentDescriptor + input.below(std::min(out.NbSegment, 32u)) * out.SegmentDescriptorStride,
                      sizeof(DXGK_SEGMENTDESCRIPTOR4));
      } else {
        input.corrupt(&out, sizeof(out));
      }
      return;
    }
    default:
      if (args.pOutputData) input.corrupt(args.pOutputData, args.OutputDataSize);
  }
}

// Where the driver says that it stopped writing: near where it began, beyond the end, before the beginning.
template <typename T>
void alter_end(FuzzInput& input, T*& end) {
  end = reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(end) + input.odd_number());
}

void alter_ends(FuzzInput& input, DXGKARG_RENDER& args) {
  if (input.rarely(2)) alter_end(input, args.pDmaBuffer);
  if (input.rarely(2)) alter_end(input, args.pPatchLocationListOut);
  if (input.rarely(2)) alter_end(input, args.pDmaBufferPrivateData);
}
void alter_ends(FuzzInput& input, DXGKARG_PRESENT& args) {
  if (input.rarely(2)) alter_end(input, args.pDmaBuffer);
  if (input.rarely(2)) alter_end(input, args.pPatchLocationListOut);
  if (input.rarely(2)) alter_end(input, args.pDmaBufferPrivateData);
}
void alter_ends(FuzzInput& input, DXGKARG_BUILDPAGINGBUFFER& args) {
  if (input.rarely(2)) alter_end(input, args.pDmaBuffer);
  if (input.rarely(2)) alter_end(input, args.pDmaBufferPrivateData);
}
template <typename T>
void alter_ends(FuzzInput&, T&) {}

// --- One argument ---

// Memory of the kernel that a driver of a version may be shown less of; whole structures all the same.
template <typename T>
void alter(FuzzInput& input, T* argument) {
  if constexpr (!std::is_void_v<T> && !std::is_function_v<T>) {
    if constexpr (std::is_class_v<T> || std::is_union_v<T>) {
      if (!argument) return;
      if (input.rarely(2)) {
        alter_beyond(input, *argument);
      } else if constexpr (!std::is_const_v<T>) {
        if (input.rarely(2)) {
          alter_ends(input, *argument);
        } else {
          input.corrupt(argument, sizeof(*argument));
        }
      }
    } else if constexpr (!std::is_const_v<T> && !std::is_pointer_v<T>) {
      if (argument && input.rarely(2)) *argument = static_cast<T>(input.odd_number());
    }
  }
}
template <typename T>
void alter(FuzzInput&, const T&) {}

NTSTATUS any_status(FuzzInput& input) {
  constexpr NTSTATUS kSome[] = {STATUS_SUCCESS,
                                STATUS_NO_MEMORY,
                                STATUS_INVALID_PARAMETER,
                                STATUS_NOT_SUPPORTED,
                                STATUS_PENDING,
                                STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER,
                                STATUS_GRAPHICS_ALLOCATION_BUSY,
                                STATUS_GRAPHICS_DRIVER_MISMATCH};
  return input.rarely(4) ? input.take<NTSTATUS>() : kSome[input.below(std::size(kSome))];
}

// --- One function ---

template <Ddi ddi, typename Function>
struct Altered {
  static void put(Function&) {}  // no signature is documented
};

template <Ddi ddi, typename R, typename... Params>
struct Altered<ddi, R (*)(Params...)> {
  static inline R (*original)(Params...) = nullptr;

  static R call(Params... params) {
    FuzzInput& input = *g_input;
    bool altered = input.rarely(ddi == Ddi::QueryAdapterInfo ? 12 : 6);
    if constexpr (std::is_void_v<R>) {
      original(params...);
      if (altered) (alter(input, params), ...);
    } else {
      if (altered && input.rarely(4)) return any(input);  // does nothing, says anything
      R result = original(params...);
      if (!altered) return result;
      (alter(input, params), ...);
      return input.rarely(4) ? any(input) : result;
    }
  }
  static R any(FuzzInput& input) {
    if constexpr (std::is_same_v<R, NTSTATUS>) {
      return any_status(input);
    } else {
      return static_cast<R>(input.odd_number());
    }
  }
  static void put(R (*&slot)(Params...)) {
    if (!slot) return;
    original = slot;
    slot = &call;
  }
};

}  // namespace

AlteredAnswers::AlteredAnswers(FakeMiniport& driver, FuzzInput& input) {
  CHECK(!g_input);
  g_input = &input;
  struct : DRIVER_INITIALIZATION_DATA {
    PDXGKDDI_PRESENTDISPLAYONLY DxgkDdiPresentDisplayOnly = nullptr;
  } all{driver.table};
#define DDI(name, ...) Altered<Ddi::name, decltype(all.DxgkDdi##name)>::put(all.DxgkDdi##name);
#include "dxgk/ddi/ddi.def"
  driver.table = all;
}

AlteredAnswers::~AlteredAnswers() { g_input = nullptr; }

}  // namespace dxgk::testing
