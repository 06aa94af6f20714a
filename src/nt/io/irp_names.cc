#include "nt/io/irp_names.h"

namespace nt {

const char* irp_name(UCHAR major) {
  static constexpr const char* kNames[] = {
      "IRP_MJ_CREATE",
      "IRP_MJ_CREATE_NAMED_PIPE",
      "IRP_MJ_CLOSE",
      "IRP_MJ_READ",
      "IRP_MJ_WRITE",
      "IRP_MJ_QUERY_INFORMATION",
      "IRP_MJ_SET_INFORMATION",
      "IRP_MJ_QUERY_EA",
      "IRP_MJ_SET_EA",
      "IRP_MJ_FLUSH_BUFFERS",
      "IRP_MJ_QUERY_VOLUME_INFORMATION",
      "IRP_MJ_SET_VOLUME_INFORMATION",
      "IRP_MJ_DIRECTORY_CONTROL",
      "IRP_MJ_FILE_SYSTEM_CONTROL",
      "IRP_MJ_DEVICE_CONTROL",
      "IRP_MJ_INTERNAL_DEVICE_CONTROL",
      "IRP_MJ_SHUTDOWN",
      "IRP_MJ_LOCK_CONTROL",
      "IRP_MJ_CLEANUP",
      "IRP_MJ_CREATE_MAILSLOT",
      "IRP_MJ_QUERY_SECURITY",
      "IRP_MJ_SET_SECURITY",
      "IRP_MJ_POWER",
      "IRP_MJ_SYSTEM_CONTROL",
      "IRP_MJ_DEVICE_CHANGE",
      "IRP_MJ_QUERY_QUOTA",
      "IRP_MJ_SET_QUOTA",
      "IRP_MJ_PNP",
  };
  static_assert(sizeof(kNames) / sizeof(kNames[0]) == IRP_MJ_MAXIMUM_FUNCTION + 1);
  return major <= IRP_MJ_MAXIMUM_FUNCTION ? kNames[major] : "an unknown IRP";
}

}  // namespace nt
