#pragma once

#include <span>
#include <string>
#include <vector>

#include "abi/km/dispmprt.h"
#include "base/result.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/caps_check.h"
#include "dxgk/adapter/caps_rules.h"

namespace dxgk {

// One start of an adapter: what is asked of the driver, in the order that was measured on Windows for its version and
// kind, and what is refused on the way. Lives for the length of Adapter::start().
//
//   adapter_start.cc   the order, the device itself, nodes, the system's own devices
//   caps_query.cc      DXGKQAITYPE_DRIVERCAPS and what depends on it
//   segment_query.cc   memory segments
class AdapterStart {
 public:
  explicit AdapterStart(Adapter& adapter) : adapter_(adapter), caps_(adapter.caps_) {}

  base::Result<> run();

 private:
  base::Result<> start_device();
  base::Result<> start_kind();
  base::Result<> start_display_only();
  base::Result<> start_physical();
  base::Result<> start_wddm2();
  base::Result<> start_gpu();

  void query_interfaces();
  base::Result<> call_start_device();
  base::Result<> query_children();
  void query_child_status();
  void query_descriptors();
  base::Result<> query_nodes();
  base::Result<> query_history_precision();

  // caps_query.cc
  base::Result<> query_driver_caps();
  void query_64bit_only();
  void query_physical_adapter();
  void query_display_extension();
  base::Result<> query_page_tables();

  // segment_query.cc
  base::Result<> query_segments();
  template <typename Generation>
  base::Result<NTSTATUS> query_segments_as();

  // QueryAdapterInfo, with input and output in blocks of exactly their size.
  NTSTATUS query(DXGK_QUERYADAPTERINFOTYPE type, std::span<const uint8_t> input, std::span<uint8_t> output);
  template <typename In, typename Out>
  NTSTATUS query(DXGK_QUERYADAPTERINFOTYPE type, const In& input, Out& output) {
    return query(type, {reinterpret_cast<const uint8_t*>(&input), sizeof(input)},
                 {reinterpret_cast<uint8_t*>(&output), sizeof(output)});
  }
  template <typename Out>
  NTSTATUS query(DXGK_QUERYADAPTERINFOTYPE type, Out& output) {
    return query(type, {}, {reinterpret_cast<uint8_t*>(&output), sizeof(output)});
  }

  // Windows says why only in its event log; here it is the adapter's refusal().
  base::Failure refuse(CapsRule rule, const std::string& detail = {});
  base::Result<> judge(const std::optional<CapsViolation>& violation);
  CapsFacts facts() const;

  Adapter& adapter_;
  AdapterCaps& caps_;
  bool device_started_ = false;

  struct Child {
    DXGK_CHILD_DESCRIPTOR descriptor;
    bool connected;
  };
  std::vector<Child> children_;
};

}  // namespace dxgk
