// Queries: events and timestamps. What the runtime's memory of one holds is where its record is.
#include <string.h>

#include "d3d10_entry.h"

namespace softgpu::d3d10 {
namespace {

bool kind_of(D3D10DDI_QUERY type, QueryKind* kind) {
  switch (type) {
    case D3D10DDI_QUERY_EVENT:
      *kind = QueryKind::Event;
      return true;
    case D3D10DDI_QUERY_TIMESTAMP:
      *kind = QueryKind::Timestamp;
      return true;
    case D3D10DDI_QUERY_TIMESTAMPDISJOINT:
      *kind = QueryKind::Frequency;
      return true;
    default:
      return false;
  }
}

QueryRecord& record_of(D3D10DDI_HQUERY handle) { return **static_cast<QueryRecord**>(handle.pDrvPrivate); }

HRESULT ask(D3d10Device& device, QueryRecord& record) {
  HRESULT result = S_OK;
  if (!record.query) record.query = device.queries.create(device, record.kind, &result);
  return record.query ? device.queries.ask(device, *record.query) : result;
}

// S_FALSE: not yet.
HRESULT answer(D3d10Device& device, const QueryRecord& record, UINT flags, uint64_t* value) {
  if (!record.query) return S_FALSE;
  bool unsubmitted = record.query->asked && record.query->batch == device.context().batch();
  if (unsubmitted && (flags & D3D10_DDI_GET_DATA_DO_NOT_FLUSH)) return S_FALSE;
  return device.queries.answer(device, *record.query, value);
}

// The clock never jumps.
void hand_over(QueryKind kind, uint64_t value, void* to, UINT bytes) {
  D3D10_DDI_QUERY_DATA_TIMESTAMP_DISJOINT clock = {value, FALSE};
  BOOL reached = TRUE;
  const void* from = kind == QueryKind::Event ? static_cast<const void*>(&reached) : &value;
  size_t size = kind == QueryKind::Event ? sizeof(reached) : sizeof(value);
  if (kind == QueryKind::Frequency) from = &clock, size = sizeof(clock);
  if (to && bytes >= size) memcpy(to, from, size);
}

}  // namespace

SIZE_T APIENTRY calc_query_size(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEQUERY*) { return sizeof(QueryRecord*); }

void APIENTRY create_query(D3D10DDI_HDEVICE hDevice, const D3D10DDIARG_CREATEQUERY* pCreateQuery,
                           D3D10DDI_HQUERY hQuery, D3D10DDI_HRTQUERY) {
  QueryKind kind = QueryKind::Event;
  QueryRecord* record = kind_of(pCreateQuery->Query, &kind) ? new QueryRecord{} : nullptr;
  if (!record) {
    device_of(hDevice).report(E_OUTOFMEMORY, Legal::Memory);
    return;
  }
  record->kind = kind;
  place(hQuery, record);
}

void APIENTRY destroy_query(D3D10DDI_HDEVICE hDevice, D3D10DDI_HQUERY hQuery) {
  device_of(hDevice).bury(&record_of(hQuery));
}

void APIENTRY end_query(D3D10DDI_HDEVICE hDevice, D3D10DDI_HQUERY hQuery) {
  D3d10Device& device = device_of(hDevice);
  device.finish_command(ask(device, record_of(hQuery)));
}

void APIENTRY get_query_data(D3D10DDI_HDEVICE hDevice, D3D10DDI_HQUERY hQuery, VOID* pData, UINT DataSize, UINT Flags) {
  D3d10Device& device = device_of(hDevice);
  const QueryRecord& record = record_of(hQuery);
  uint64_t value = 0;
  HRESULT result = answer(device, record, Flags, &value);
  if (result == S_OK) hand_over(record.kind, value, pData, DataSize);
  device.finish(result, Legal::Busy);
}

}  // namespace softgpu::d3d10
