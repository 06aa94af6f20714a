#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/reader.h"

namespace trace {

// One line for one event, without the line's end: sequence, time, thread, processor, IRQL, name, fields.
//   17 2500ns t3 cpu0 irql2 Wait/Stop kind=Event ordinal=4 status=0x00000102(STATUS_TIMEOUT)
std::string to_text(const Record& record, const Reader& reader);

// Writes a line per event. Fails as the reader does, after the lines of the events that were good.
base::Result<> dump_text(Reader& reader, std::ostream& out);

// The name of a status that drivers commonly meet; empty for others.
std::string_view status_name(NTSTATUS status);

}  // namespace trace
