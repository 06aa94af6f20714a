#pragma once

#include <optional>
#include <string>
#include <vector>

#include "abi/shared/d3dkmthk.h"
#include "dxgk/object/standard_data.h"
#include "host/scenarios/kmd/graphics.h"

namespace host {

// "gpu_model.cc:12", for the author of a scenario.
std::string place_of(base::Here where);
// "STATUS_NO_MEMORY (0xC0000017)".
std::string words_of(NTSTATUS status);

// A client of scenarios: it opens the adapter, makes a device, creates, opens and destroys, through the thunks like any
// other. What it creates is described by the driver itself (DxgkDdiGetStandardAllocationDriverData), so that every
// driver understands it. Used on one thread.
class AllocClient {
 public:
  AllocClient(Graphics& graphics, const std::string& name);

  struct Made {
    D3DKMT_HANDLE resource = 0;
    D3DKMT_HANDLE global_share = 0;
    std::vector<D3DKMT_HANDLE> allocations;
  };
  enum class Kind : uint8_t { Alone, Resource, SharedGlobal, SharedNt };

  // False when the driver refused: a scenario with failing memory goes on without.
  bool open_device();
  D3DKMT_HANDLE device() const { return device_; }
  std::optional<Made> create(Kind kind, uint32_t count);
  // More allocations for a resource that is not shared; `made` has them too then.
  bool add_to(Made& made, uint32_t count);
  // A resource of one allocation that the system would make: shared, and of a kind that not every driver knows.
  std::optional<Made> create_system_surface(dxgk::StandardKind kind);
  NTSTATUS destroy_resource(const Made& made, D3DDDICB_DESTROYALLOCATION2FLAGS flags = {});
  NTSTATUS destroy_list(const std::vector<D3DKMT_HANDLE>& handles, D3DDDICB_DESTROYALLOCATION2FLAGS flags = {});
  std::optional<Made> open(D3DKMT_HANDLE global_share);
  std::optional<HANDLE> share(const Made& made);
  std::optional<Made> open(HANDLE nt_handle);
  NTSTATUS lose_device();
  void destroy_device();
  void end() { process_.end(); }

  // The status of a thunk. The last one that failed is remembered for the words of an expectation.
  NTSTATUS answered(const char* thunk, NTSTATUS status);
  // "D3DKMTCreateDevice answered STATUS_NO_MEMORY (0xC0000017)"; empty when nothing was refused.
  const std::string& last_refusal() const { return last_refusal_; }
  // The fact. Where it does not hold and nothing disturbs the driver, the scenario is incomplete.
  bool expect(bool fact, base::Here where = base::Here::now()) const;
  template <typename T>
  std::optional<T> expect(std::optional<T> made, base::Here where = base::Here::now()) const {
    expect(made.has_value(), where);
    return made;
  }

  kmt::Client& client() { return process_.client(); }
  // The kernel's own object behind the device, for scenarios that play the GPU.
  dxgk::Device* device_object();

 private:
  const dxgk::StandardData& private_data();
  // Calls D3DKMTCreateAllocation2 with what `args` and `form` already say.
  std::optional<Made> create(D3DKMT_CREATEALLOCATION args, const dxgk::StandardData& data, uint32_t count,
                             D3DDDI_ALLOCATIONINFO2 form = {});
  template <typename Query, typename Args>
  std::optional<Made> open_as(const Query& query, Args args, NTSTATUS (*thunk)(kmt::Client&, Args*));

  const std::string name_;
  Graphics& graphics_;
  EmbeddedClient process_;
  std::string last_refusal_;
  D3DKMT_HANDLE adapter_ = 0;
  D3DKMT_HANDLE device_ = 0;
  std::optional<dxgk::StandardData> private_data_;
};

}  // namespace host
