#include "ks/object/filter_factory.h"

#include <fmt/format.h>

#include <cstring>

#include "ks/device/device.h"
#include "ks/device/system.h"
#include "ks/exports/callback.h"
#include "ks/object/create_name.h"
#include "ks/object/filter.h"
#include "nt/mm/pool.h"

namespace ks {

FilterFactory::FilterFactory(Device& device, const Request& request, std::string name)
    : Object(device.system(), kType, &device, device.scope(), nt::ScopeKind::StreamDevice, std::move(name)),
      device_(device),
      body_(make_body<KSFILTERFACTORY>()),
      reference_(request.reference),
      flags_(request.flags),
      sleep_(request.sleep),
      wake_(request.wake) {
  body_->FilterDescriptor = request.descriptor;
  body_->Bag = bag().handle();
  body_->Context = (*device).Context;
  bag().guard_with(device.mutex());
  const auto* pin = reinterpret_cast<const uint8_t*>(request.descriptor->PinDescriptors);
  for (ULONG i = 0; i < request.descriptor->PinDescriptorsCount; ++i, pin += request.descriptor->PinDescriptorSize) {
    device.has_pin(*reinterpret_cast<const KSPIN_DESCRIPTOR_EX*>(pin));
  }
  system().publish(*this);
}

FilterFactory::~FilterFactory() = default;

ControlMutex& FilterFactory::control() { return device_.mutex(); }

void FilterFactory::end() {
  if (symbolic_link_) machine().pool().free(symbolic_link_, 0);
  retire();
}

std::u16string FilterFactory::symbolic_link(const GUID& category) const {
  std::u16string link = u"\\??\\ROOT#MEDIA#";
  for (char c : device_.name()) link += static_cast<char16_t>(c);
  return link + u'#' + guid_text(category) + u'\\' + reference_;
}

UNICODE_STRING* FilterFactory::symbolic_link() {
  if (symbolic_link_) return symbolic_link_;
  const KSFILTER_DESCRIPTOR& described = descriptor();
  std::u16string link = symbolic_link(described.CategoriesCount ? described.Categories[0] : GUID{});
  size_t bytes = link.size() * sizeof(WCHAR);
  void* memory =
      machine().pool().allocate(sizeof(UNICODE_STRING) + bytes, 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  symbolic_link_ = static_cast<UNICODE_STRING*>(memory);
  symbolic_link_->Length = symbolic_link_->MaximumLength = static_cast<USHORT>(bytes);
  symbolic_link_->Buffer = reinterpret_cast<WCHAR*>(symbolic_link_ + 1);
  memcpy(symbolic_link_->Buffer, link.data(), bytes);
  return symbolic_link_;
}

NTSTATUS FilterFactory::create_filter(IRP& irp) {
  FILE_OBJECT& file = *IoGetCurrentIrpStackLocation(&irp)->FileObject;
  std::unique_ptr<Filter> filter(new Filter(*this, file, fmt::format("filter {} of {}", filters_++, device_.name())));
  NTSTATUS status = filter->open(irp);
  if (!NT_SUCCESS(status)) return status;
  file.FsContext = static_cast<FileNode*>(filter.release());
  return status;
}

}  // namespace ks
