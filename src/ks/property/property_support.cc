// What a property's table row says of it: the requests it takes, its values, its relations.
#include <cstring>

#include "ks/property/property_request.h"

namespace ks {
namespace {

size_t bytes_of(const KSPROPERTY_MEMBERSLIST& list) {
  return sizeof(KSPROPERTY_MEMBERSHEADER) + size_t{list.MembersHeader.MembersSize} * list.MembersHeader.MembersCount;
}

// The values of a property that are asked for: all, or only the defaults.
class Values {
 public:
  Values(const KSPROPERTY_ITEM& item, bool defaults) : values_(item.Values), defaults_(defaults) {}

  size_t bytes() const {
    size_t total = sizeof(KSPROPERTY_DESCRIPTION);
    each([&](const KSPROPERTY_MEMBERSLIST& list) { total += bytes_of(list); });
    return total;
  }

  KSPROPERTY_DESCRIPTION description(ULONG access) const {
    KSPROPERTY_DESCRIPTION answer{};
    answer.AccessFlags = access;
    answer.DescriptionSize = static_cast<ULONG>(bytes());
    if (values_) answer.PropTypeSet = values_->PropTypeSet;
    each([&](const KSPROPERTY_MEMBERSLIST&) { ++answer.MembersListCount; });
    return answer;
  }

  void copy_lists(uint8_t* to) const {
    each([&](const KSPROPERTY_MEMBERSLIST& list) {
      memcpy(to, &list.MembersHeader, sizeof(list.MembersHeader));
      if (list.Members)
        memcpy(to + sizeof(list.MembersHeader), list.Members, bytes_of(list) - sizeof(list.MembersHeader));
      to += bytes_of(list);
    });
  }

 private:
  template <typename Visit>
  void each(Visit&& visit) const {
    for (ULONG i = 0; values_ && i < values_->MembersListCount; ++i) {
      const KSPROPERTY_MEMBERSLIST& list = values_->MembersList[i];
      if (!defaults_ || list.MembersHeader.Flags & KSPROPERTY_MEMBER_FLAG_DEFAULT) visit(list);
    }
  }

  const KSPROPERTY_VALUES* const values_;
  const bool defaults_;
};

ULONG access_of(const KSPROPERTY_ITEM& item) {
  ULONG access = 0;
  if (item.GetPropertyHandler) access |= KSPROPERTY_TYPE_GET;
  if (item.SetPropertyHandler) access |= KSPROPERTY_TYPE_SET;
  return access;
}

// As much as there is room for: the access flags, the description, the description with all values.
NTSTATUS answer_values(const Request& request, const KSPROPERTY_ITEM& item, bool defaults) {
  IRP& irp = request.irp();
  Values values(item, defaults);
  size_t all = values.bytes();
  if (request.data_bytes() < sizeof(ULONG)) {
    auto room = need_room(request, all);
    return refuse(irp, room.failure());
  }
  KSPROPERTY_DESCRIPTION description = values.description(access_of(item));
  size_t given = request.data_bytes() >= all                   ? all
                 : request.data_bytes() >= sizeof(description) ? sizeof(description)
                                                               : sizeof(ULONG);
  auto* to = static_cast<uint8_t*>(request.data());
  memcpy(to, &description, given < sizeof(description) ? given : sizeof(description));
  if (given == all) values.copy_lists(to + sizeof(description));
  irp.IoStatus.Information = given;
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS answer_basic_support(const Request& request, const KSPROPERTY_ITEM& item) {
  return answer_values(request, item, false);
}

NTSTATUS answer_default_values(const Request& request, const KSPROPERTY_ITEM& item) {
  return answer_values(request, item, true);
}

NTSTATUS answer_relations(const Request& request, const KSPROPERTY_ITEM& item) {
  return answer_list(request.irp(), item.RelationsCount, sizeof(KSPROPERTY), item.Relations);
}

}  // namespace ks
