#include "host/scenarios/nt/nt_request_maker.h"

#include <algorithm>
#include <iterator>

#include "host/scenarios/nt/control_codes.h"

namespace host {
namespace {

constexpr ULONG kSizes[] = {0, 1, 2, 4, 8, 16, 32, 64, 100, 256, 1024, 4095, 4096, 4097, 65536};
constexpr ULONG kWildSizes[] = {0, 1, 3, 7, 15, 31, 4096, 0x10001, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
constexpr size_t kMostCodes = 32;  // of those found in a driver's file, tried with every seed
constexpr ULONG kMostBuffered = 0x100000;

// FILE_DEVICE_CD_ROM, …_CONTROLLER, …_DISK, …_TAPE, …_MASS_STORAGE
constexpr DEVICE_TYPE kStorage[] = {0x02, FILE_DEVICE_CONTROLLER, 0x07, 0x1F, 0x2D};

// Requests besides reads, writes and controls that a program can send to any device.
constexpr UCHAR kOthers[] = {IRP_MJ_QUERY_INFORMATION, IRP_MJ_SET_INFORMATION, IRP_MJ_FLUSH_BUFFERS,
                             IRP_MJ_QUERY_VOLUME_INFORMATION, IRP_MJ_SET_VOLUME_INFORMATION};

}  // namespace

NtRequestMaker::NtRequestMaker(NtStack& stack, DEVICE_OBJECT& device)
    : stack_(stack), type_(stack.machine().devices().top(device)->DeviceType) {
  const DEVICE_TYPE types[] = {type_, FILE_DEVICE_UNKNOWN};
  codes_ = find_control_codes(stack.context().image, types);
  for (UCHAR major : {UCHAR{IRP_MJ_READ}, UCHAR{IRP_MJ_WRITE}, UCHAR{IRP_MJ_DEVICE_CONTROL}}) {
    if (stack.handles(major)) plain_majors_.push_back(major);
  }
  if (sends_internal_controls()) plain_majors_.push_back(IRP_MJ_INTERNAL_DEVICE_CONTROL);
}

// Drivers of storage get IRP_MJ_SCSI by that number, with a pointer that we have nothing to put behind.
bool NtRequestMaker::sends_internal_controls() {
  bool storage = std::find(std::begin(kStorage), std::end(kStorage), type_) != std::end(kStorage);
  return stack_.handles(IRP_MJ_INTERNAL_DEVICE_CONTROL) && !storage;
}

ULONG NtRequestMaker::size() { return kSizes[stack_.choose(std::size(kSizes))]; }

// A code of the driver's file or one near it, or any at all.
ULONG NtRequestMaker::code() {
  if (!codes_.empty() && stack_.choose(4) != 0) {
    ULONG found = codes_[stack_.choose(static_cast<uint32_t>(codes_.size()))];
    return stack_.choose(4) ? found : found + 4 * stack_.choose(16);
  }
  DEVICE_TYPE type = stack_.choose(2) ? type_ : 0x8000 + stack_.choose(0x8000);
  ULONG function = stack_.choose(2) ? 0x800 + stack_.choose(16) : stack_.choose(0x1000);
  return CTL_CODE(type, function, stack_.choose(4), stack_.choose(4));
}

NtRequest NtRequestMaker::transfer(UCHAR major) {
  NtRequest request{.major = major, .out_bytes = size()};
  request.offset = stack_.choose(4) ? 0 : static_cast<LONGLONG>(stack_.choose(UINT32_MAX));
  return request;
}

NtRequest NtRequestMaker::control(UCHAR major) {
  NtRequest request{.major = major};
  // Internal controls are a private language of two drivers: what a driver does not know it refuses, and what it knows
  // may carry pointers.
  request.code = major == IRP_MJ_INTERNAL_DEVICE_CONTROL
                     ? CTL_CODE(FILE_DEVICE_UNKNOWN, 0xFF0 + stack_.choose(16), METHOD_BUFFERED, FILE_ANY_ACCESS)
                     : code();
  request.in_bytes = size();
  request.out_bytes = size();
  return request;
}

std::vector<NtRequest> NtRequestMaker::each_kind() {
  std::vector<NtRequest> all;
  for (UCHAR major : plain_majors_) {
    bool transfers = major == IRP_MJ_READ || major == IRP_MJ_WRITE;
    all.push_back(transfers ? NtRequest{.major = major, .out_bytes = 64} : control(major));
  }
  if (stack_.handles(IRP_MJ_DEVICE_CONTROL)) {
    for (size_t i = 0; i < codes_.size() && i < kMostCodes; ++i) {
      all.push_back({.code = codes_[i], .in_bytes = size(), .out_bytes = size()});
    }
  }
  for (UCHAR major : kOthers) {
    if (!stack_.handles(major)) continue;
    all.push_back({.major = major, .out_bytes = 64, .information_class = FileStandardInformation});
  }
  if (stack_.handles(IRP_MJ_FILE_SYSTEM_CONTROL)) all.push_back(control(IRP_MJ_FILE_SYSTEM_CONTROL));
  return all;
}

NtRequest NtRequestMaker::plain() {
  if (plain_majors_.empty()) return control(IRP_MJ_DEVICE_CONTROL);  // the I/O manager refuses it
  UCHAR major = plain_majors_[stack_.choose(static_cast<uint32_t>(plain_majors_.size()))];
  return major == IRP_MJ_READ || major == IRP_MJ_WRITE ? transfer(major) : control(major);
}

NtRequest NtRequestMaker::slow() {
  return stack_.handles(IRP_MJ_READ) && stack_.choose(4) ? NtRequest{.major = IRP_MJ_READ, .out_bytes = 64} : plain();
}

NtRequest NtRequestMaker::wild() {
  NtRequest request = plain();
  if (request.major == IRP_MJ_INTERNAL_DEVICE_CONTROL) return request;  // the kernel that sends it can be trusted
  request.pointers = static_cast<NtRequest::Pointers>(stack_.choose(3));
  auto wild_size = [&] { return kWildSizes[stack_.choose(std::size(kWildSizes))]; };
  request.in_bytes = wild_size();
  request.out_bytes = wild_size();
  if (request.major != IRP_MJ_DEVICE_CONTROL) {
    request.offset = stack_.choose(2) ? -1 : LONGLONG{1} << stack_.choose(63);
    request.out_bytes %= kMostBuffered;
  } else if (METHOD_FROM_CTL_CODE(request.code) != METHOD_NEITHER) {
    request.in_bytes %= kMostBuffered;
    request.out_bytes %= kMostBuffered;
  }
  return request;
}

}  // namespace host
