#pragma once

#include <memory>
#include <vector>

#include "host/scenarios/umd/umd_environment.h"

namespace host {

// A resource of a program, of which every byte is known: each command that writes to it is also carried out on the copy
// here. A surface on which something failed is not known any more. Used on its device's thread; the code that made it
// destroys it, or leaves it to the device.
class UmdResource {
 public:
  // Null when the driver refused.
  static std::unique_ptr<UmdResource> make(UmdProcess& process, umd::Device9& device, umd::ResourceDesc desc);
  // One that another program shares, with what it holds.
  static std::unique_ptr<UmdResource> open(UmdProcess& process, umd::Device9& device, const UmdResource& shared);

  umd::Resource* get() { return resource_; }
  const umd::ResourceDesc& desc() const { return desc_; }
  UINT surfaces() const { return static_cast<UINT>(desc_.surfaces.size()); }
  RECT whole(UINT surface) const;
  // Whether its pixels are of four bytes each, A8R8G8B8 or like it.
  bool has_colors() const;
  bool can_be_locked() const { return !desc_.flags.ZBuffer; }
  bool destroyed() const { return !resource_; }

  // By a lock: all of a surface, with bytes that the pattern leads to. Behind flags that discard or do not wait stands
  // what Direct3D promises of them.
  bool write(UINT surface, uint32_t pattern, D3DDDI_LOCKFLAGS flags = {});
  bool write(UINT surface, const void* bytes, size_t count, D3DDDI_LOCKFLAGS flags = {});
  // By commands; colours are A8R8G8B8.
  bool fill(UINT surface, const RECT& rect, uint32_t color);
  bool clear(UINT surface, uint32_t color);
  bool copy(UINT surface, LONG left, LONG top, UmdResource& from, UINT from_surface, const RECT& rect);
  bool present(UmdResource& from);
  // What others do to it: `result` is how that went.
  void painted(UINT surface, const RECT& rect, uint32_t color, HRESULT result);
  // Another program's view of the same memory has been written to, and it is there by now.
  void take_over(const UmdResource& other) { contents_ = other.contents_; }
  void forget_contents();

  // Compares what a lock shows. What differs is fatal. False when it could not be locked.
  bool check(UINT surface);
  void check_all();

  HRESULT destroy();

 private:
  struct Surface {
    UINT rows = 0;
    UINT row_bytes = 0;
    bool known = false;
    std::vector<uint8_t> bytes;
  };

  UmdResource(UmdProcess& process, umd::Device9& device, umd::ResourceDesc desc);
  bool did(Surface& surface, HRESULT result, base::Here where = base::Here::now());
  uint8_t* at(UINT surface, LONG x, LONG y);
  void compare(const Surface& surface, const umd::Mapped& mapped) const;

  UmdProcess& process_;
  umd::Device9& device_;
  umd::ResourceDesc desc_;
  std::vector<uint8_t> system_memory_;  // of a resource that has none of the kernel's
  umd::Resource* resource_ = nullptr;
  std::vector<Surface> contents_;
};

// A resource of a kind, a format and a size that the seed chooses.
umd::ResourceDesc any_resource(UmdEnvironment& environment);
// A rectangle somewhere in another one.
RECT any_part(ScenarioEnvironment& environment, const RECT& whole);
inline uint32_t any_color(ScenarioEnvironment& environment) { return environment.choose(0x7FFFFFFF); }

}  // namespace host
