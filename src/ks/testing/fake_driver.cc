#include "ks/testing/fake_driver.h"

#include <cstdint>

#include "abi/km/wdm.h"

namespace ks::testing {

FakeDriver::FakeDriver() {
  static const KSPIN_INTERFACE kInterface{{{KSINTERFACESETID_Standard, KSINTERFACE_STANDARD_STREAMING, 0}}};
  static const KSPIN_MEDIUM kMedium{{{KSMEDIUMSETID_Standard, KSMEDIUM_STANDARD_DEVIO, 0}}};
  static const GUID kReference = {0x3f6a1b20, 0x1111, 0x4c4c, {1, 2, 3, 4, 5, 6, 7, 8}};
  static const GUID kCategory = KSCATEGORY_CAPTURE;

  range.FormatSize = sizeof(KSDATARANGE);
  ranges[0] = &range;
  framing.CountItems = 1;
  framing.OutputCompression = {1, 1, 0};
  KS_FRAMING_ITEM& item = framing.FramingItem[0];
  item.MemoryType = KSMEMORY_TYPE_KERNEL_NONPAGED;
  item.MemoryFlags = item.Flags = KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY;
  item.Frames = 4;
  item.FileAlignment = FILE_LONG_ALIGNMENT;
  item.PhysicalRange = {0, UINT32_MAX, 1};
  item.FramingRange.Range = {4096, 4096, 0};
  for (ULONG i = 0; i < 2; ++i) {
    KSPIN_DESCRIPTOR_EX& described = pins[i];
    described.Dispatch = &pin[i];
    described.PinDescriptor.InterfacesCount = 1;
    described.PinDescriptor.Interfaces = &kInterface;
    described.PinDescriptor.MediumsCount = 1;
    described.PinDescriptor.Mediums = &kMedium;
    described.PinDescriptor.DataRangesCount = 1;
    described.PinDescriptor.DataRanges = ranges;
    described.PinDescriptor.DataFlow = i == 0 ? KSPIN_DATAFLOW_OUT : KSPIN_DATAFLOW_IN;
    described.PinDescriptor.Communication = KSPIN_COMMUNICATION_BOTH;
    described.PinDescriptor.Category = &kCategory;
    described.InstancesPossible = 2;
    described.AllocatorFraming = &framing;
  }
  filter_descriptor.Dispatch = &filter;
  filter_descriptor.Version = KSFILTER_DESCRIPTOR_VERSION;
  filter_descriptor.ReferenceGuid = &kReference;
  filter_descriptor.PinDescriptorsCount = 2;
  filter_descriptor.PinDescriptorSize = sizeof(KSPIN_DESCRIPTOR_EX);
  filter_descriptor.PinDescriptors = pins;
  filter_descriptor.CategoriesCount = 1;
  filter_descriptor.Categories = &kCategory;
  filters[0] = &filter_descriptor;
  descriptor.Dispatch = &device;
  descriptor.FilterDescriptorsCount = 1;
  descriptor.FilterDescriptors = filters;
  descriptor.Version = KSDEVICE_DESCRIPTOR_VERSION;
}

}  // namespace ks::testing
