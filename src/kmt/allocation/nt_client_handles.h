#pragma once

#include "kmt/client/client_handles.h"
#include "ob/handle_table.h"

namespace kmt {

// The table of NT handles of a client in this process, like that of a Windows process. Handles that are left are closed
// with it.
class NtClientHandles final : public ClientHandles {
 public:
  using ClientHandles::resolve;
  base::Result<HANDLE> publish(ob::UnpublishedObject<ob::Object> object) override;
  Found<ob::Object> resolve(HANDLE handle) override;
  Found<ob::Object> close(HANDLE handle) override;

  // The end of the client.
  void close_all() { table_.close_all(); }
  uint32_t open_count() const { return table_.open_count(); }

 private:
  ob::NtHandleTable table_;
};

}  // namespace kmt
