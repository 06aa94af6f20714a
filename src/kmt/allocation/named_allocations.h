#pragma once

#include <boost/container/small_vector.hpp>
#include <optional>
#include <span>

#include "dxgk/object/device.h"
#include "kmt/client/client.h"
#include "kmt/client/scratch.h"

namespace kmt {

// A list of handles that a client gives to a residency function; it must have at least one. WSL takes 10240 at most
// (observed), we as many as in any list.
base::Result<> read_names(Client& client, HandleScratch& names, const D3DKMT_HANDLE* user, UINT count);

// The allocations that one call names, one by one or as resources, on one device (RS-04). Made and used with the
// device's mutex held, which keeps them alive.
class NamedAllocations {
 public:
  // `other_device`: the rule that a client breaks with what belongs to another one.
  NamedAllocations(Client& client, dxgk::Device& device, std::optional<nt::Violation> other_device = {})
      : client_(client), device_(device), other_device_(other_device) {}

  base::Result<> add(D3DKMT_HANDLE allocation);
  // All that it has. They count as one name.
  base::Result<> add_resource(D3DKMT_HANDLE resource);
  base::Result<> add(std::span<const D3DKMT_HANDLE> allocations);
  base::Result<> add_resources(std::span<const D3DKMT_HANDLE> resources);

  std::span<dxgk::Allocation* const> all() { return {allocations_.data(), allocations_.size()}; }
  size_t names() const { return ends_.size(); }
  // The places in all() that one name stands for: [first_of(i), first_of(i + 1)).
  size_t first_of(size_t name) { return name == 0 ? 0 : ends_[name - 1]; }

 private:
  Client& client_;
  dxgk::Device& device_;
  const std::optional<nt::Violation> other_device_;
  boost::container::small_vector<dxgk::Allocation*, 32> allocations_;
  boost::container::small_vector<size_t, 32> ends_;
};

}  // namespace kmt
