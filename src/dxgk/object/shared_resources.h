#pragma once

namespace dxgk {

class Resource;

// The shared resources of an adapter in the order of their creation, linked through themselves. Under its lock. Linked
// by hand: Boost.Intrusive would need the definition of Resource in the header of the adapter.
class SharedResources {
 public:
  void add(Resource& resource);
  // One that was never added is left alone: its creation failed.
  void remove(Resource& resource);
  Resource* first() const { return first_; }

 private:
  Resource* first_ = nullptr;
  Resource* last_ = nullptr;
};

}  // namespace dxgk
