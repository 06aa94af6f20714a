#include "ks/device/friendly_name.h"

#include "ks/object/create_name.h"
#include "nt/store/registry.h"

namespace ks {

base::Result<std::u16string> friendly_name(nt::Machine& machine, const GUID& guid) {
  const base::Failure none(STATUS_NOT_FOUND, "the registry has no name for the GUID");
  std::u16string path = u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\MediaCategories\\" + guid_text(guid);
  auto key = machine.registry().open(nullptr, path);
  if (!key.ok()) return none;
  auto found = machine.registry().value(*key.value(), u"Name");
  if (!found.ok()) return none;
  const std::vector<uint8_t>& data = found.value().data;
  std::u16string name;
  for (size_t i = 0; i + 1 < data.size(); i += 2) {
    name.push_back(static_cast<char16_t>(data[i] | (data[i + 1] << 8)));
  }
  while (!name.empty() && name.back() == u'\0') name.pop_back();
  return name;
}

}  // namespace ks
