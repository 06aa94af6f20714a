#pragma once

#include "kmt/client_handles.h"
#include "ob/handle_table.h"

namespace kmt {

// A client that lives in this process has a table of NT handles as a Windows process has. Whatever is left in it is
// closed with it.
class NtClientHandles final : public ClientHandles {
 public:
  using ClientHandles::resolve;
  base::Result<HANDLE> publish(ob::Fresh<ob::Object> object) override;
  Found<ob::Object> resolve(HANDLE handle) override;
  Found<ob::Object> close(HANDLE handle) override;

  // The end of the client.
  void close_all() { table_.close_all(); }
  uint32_t open_count() const { return table_.open_count(); }

 private:
  ob::NtHandleTable table_;
};

}  // namespace kmt
