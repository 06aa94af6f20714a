#include "kmt/allocation/nt_client_handles.h"

namespace kmt {
namespace {

HANDLE to_handle(uint64_t value) { return reinterpret_cast<HANDLE>(value); }
uint64_t to_value(HANDLE handle) { return reinterpret_cast<uintptr_t>(handle); }

}  // namespace

base::Result<HANDLE> NtClientHandles::publish(ob::UnpublishedObject<ob::Object> object) {
  auto reservation = TRY(table_.reserve());
  return to_handle(reservation.publish(std::move(object)));
}

ClientHandles::Found<ob::Object> NtClientHandles::resolve(HANDLE handle) {
  return table_.get<ob::Object>(to_value(handle));
}

ClientHandles::Found<ob::Object> NtClientHandles::close(HANDLE handle) {
  return table_.close<ob::Object>(to_value(handle));
}

}  // namespace kmt
