// Queries: events and timestamps. hQuery is a Query.
#include <string.h>

#include "d3d9_entry.h"

namespace softgpu {
namespace {

bool kind_of(D3DDDIQUERYTYPE type, QueryKind* kind) {
  switch (type) {
    case D3DDDIQUERYTYPE_EVENT:
      *kind = QueryKind::Event;
      return true;
    case D3DDDIQUERYTYPE_TIMESTAMP:
      *kind = QueryKind::Timestamp;
      return true;
    case D3DDDIQUERYTYPE_TIMESTAMPDISJOINT:
      *kind = QueryKind::Disjoint;
      return true;
    case D3DDDIQUERYTYPE_TIMESTAMPFREQ:
      *kind = QueryKind::Frequency;
      return true;
    default:
      return false;
  }
}

// Yes or no is a BOOL, the others are UINT64.
bool is_bool(QueryKind kind) { return kind == QueryKind::Event || kind == QueryKind::Disjoint; }

}  // namespace

HRESULT APIENTRY create_query(HANDLE hDevice, D3DDDIARG_CREATEQUERY* pData) {
  QueryKind kind;
  if (!kind_of(pData->QueryType, &kind)) return D3DERR_NOTAVAILABLE;
  D3d9Device& device = device_of(hDevice);
  HRESULT result = S_OK;
  Query* query = device.queries.create(device, kind, &result);
  if (query) pData->hQuery = query;
  return result;
}

HRESULT APIENTRY destroy_query(HANDLE hDevice, const HANDLE hQuery) {
  device_of(hDevice).queries.destroy(static_cast<Query*>(hQuery));
  return S_OK;
}

HRESULT APIENTRY issue_query(HANDLE hDevice, const D3DDDIARG_ISSUEQUERY* pData) {
  if (!pData->Flags.End) return S_OK;
  D3d9Device& device = device_of(hDevice);
  return device.queries.ask(device, *static_cast<Query*>(pData->hQuery));
}

HRESULT APIENTRY get_query_data(HANDLE hDevice, const D3DDDIARG_GETQUERYDATA* pData) {
  const auto& query = *static_cast<const Query*>(pData->hQuery);
  D3d9Device& device = device_of(hDevice);
  uint64_t value = 0;
  HRESULT result = device.queries.answer(device, query, &value);
  if (result != S_OK || !pData->pData) return result;
  memcpy(pData->pData, &value, is_bool(query.kind) ? sizeof(BOOL) : sizeof(value));
  return S_OK;
}

}  // namespace softgpu
