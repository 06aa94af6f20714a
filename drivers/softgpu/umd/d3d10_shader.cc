#include "d3d10_shader.h"

#include "d3d10_entry.h"

namespace softgpu::d3d10 {
namespace {

constexpr UINT kPositionRegister = 0;
constexpr UINT kColorRegister = 1;
constexpr UINT kCoordinateRegister = 2;

// 0: none that softgpu knows.
UINT program_of(const UINT* code) {
  if (code[1] < 4 || code[2] != kShaderMark) return 0;
  return code[3] == kColorProgram || code[3] == kTextureProgram ? code[3] : 0;
}

bool read_position(const D3D10DDIARG_INPUT_ELEMENT_DESC& element, Layout& layout) {
  layout.position = static_cast<uint16_t>(element.AlignedByteOffset);
  switch (element.Format) {
    case DXGI_FORMAT_R32G32_FLOAT:
      layout.position_kind = SOFTGPU_POSITION_FLOAT2;
      return true;
    case DXGI_FORMAT_R32G32B32_FLOAT:
      layout.position_kind = SOFTGPU_POSITION_FLOAT3;
      return true;
    case DXGI_FORMAT_R32G32B32A32_FLOAT:
      layout.position_kind = SOFTGPU_POSITION_FLOAT4;
      return true;
    default:
      return false;
  }
}

bool read_color(const D3D10DDIARG_INPUT_ELEMENT_DESC& element, Layout& layout) {
  layout.color = static_cast<uint16_t>(element.AlignedByteOffset);
  switch (element.Format) {
    case DXGI_FORMAT_R32G32B32A32_FLOAT:
      layout.color_kind = SOFTGPU_COLOR_FLOAT4;
      return true;
    case DXGI_FORMAT_R8G8B8A8_UNORM:
      layout.color_kind = SOFTGPU_COLOR_ABGR;
      return true;
    case DXGI_FORMAT_B8G8R8A8_UNORM:
      layout.color_kind = SOFTGPU_COLOR_ARGB;
      return true;
    default:
      return false;
  }
}

bool read_coordinate(const D3D10DDIARG_INPUT_ELEMENT_DESC& element, Layout& layout) {
  layout.coordinate = static_cast<uint16_t>(element.AlignedByteOffset);
  return element.Format == DXGI_FORMAT_R32G32_FLOAT || element.Format == DXGI_FORMAT_R32G32B32_FLOAT ||
         element.Format == DXGI_FORMAT_R32G32B32A32_FLOAT;
}

// False if the hardware cannot read it. What no program reads does not matter.
bool read_element(const D3D10DDIARG_INPUT_ELEMENT_DESC& element, Layout& layout) {
  if (element.InputRegister > kCoordinateRegister) return true;
  bool first =
      layout.position == SOFTGPU_ABSENT && layout.color == SOFTGPU_ABSENT && layout.coordinate == SOFTGPU_ABSENT;
  if (first) layout.slot = element.InputSlot;
  if (element.InputSlot != layout.slot || element.InputSlotClass != D3D10_DDI_INPUT_PER_VERTEX_DATA) return false;
  if (element.InputSlot >= kVertexBuffers || element.AlignedByteOffset >= SOFTGPU_STRIDE_MAX) return false;
  switch (element.InputRegister) {
    case kPositionRegister:
      return read_position(element, layout);
    case kColorRegister:
      return read_color(element, layout);
    default:
      return read_coordinate(element, layout);
  }
}

}  // namespace

// That there is no memory for it is all that may be said of a program that is not known.
void APIENTRY create_shader(D3D10DDI_HDEVICE hDevice, const UINT* pCode, D3D10DDI_HSHADER hShader, D3D10DDI_HRTSHADER,
                            const D3D10DDIARG_STAGE_IO_SIGNATURES*) {
  UINT program = program_of(pCode);
  if (!program) {
    device_of(hDevice).report(E_OUTOFMEMORY, Legal::Memory);
    return;
  }
  place(hShader, Shader{program});
}

// Nothing may be refused here: what cannot be read is not drawn.
void APIENTRY create_layout(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEELEMENTLAYOUT* pCreateElementLayout,
                            D3D10DDI_HELEMENTLAYOUT hElementLayout, D3D10DDI_HRTELEMENTLAYOUT) {
  Layout layout = {};
  layout.position = layout.color = layout.coordinate = SOFTGPU_ABSENT;
  layout.drawable = true;
  for (UINT i = 0; i < pCreateElementLayout->NumElements; ++i) {
    layout.drawable &= read_element(pCreateElementLayout->pVertexElements[i], layout);
  }
  layout.drawable &= layout.position != SOFTGPU_ABSENT;
  place(hElementLayout, layout);
}

}  // namespace softgpu::d3d10
