#pragma once

#include "abi/shared/d3dkmthk.h"
#include "dxgk/adapter/policy.h"
#include "dxgk/object/judgement.h"

namespace kmt {

using dxgk::Judgement;

// D3DKMTCreateAllocation's arguments, as far as they can be judged without looking anything up: flags against each
// other (KC-01 … KC-04, KC-11, KC-16), counts (KC-09, KC-12, KC-20, A9, A12, A21), sizes (A6). What hResource stands
// for has been judged before.
Judgement judge_create(const D3DKMT_CREATEALLOCATION& args, const dxgk::Policy& policy);

// What a standard allocation is made of (KC-13, A10, A11, A13).
Judgement judge_standard(const D3DKMT_CREATESTANDARDALLOCATION& standard, const void* memory);

}  // namespace kmt
