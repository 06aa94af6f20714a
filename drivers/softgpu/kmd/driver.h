// Every DDI of the driver, by file. Each has the documented type, so that a wrong signature does not compile.
#pragma once

#include "config.h"

namespace softgpu {

// adapter.cc
DXGKDDI_ADD_DEVICE add_device;
DXGKDDI_START_DEVICE start_device;
DXGKDDI_STOP_DEVICE stop_device;
DXGKDDI_REMOVE_DEVICE remove_device;
DXGKDDI_NOTIFY_SURPRISE_REMOVAL notify_surprise_removal;
DXGKDDI_QUERY_INTERFACE query_interface;
DXGKDDI_QUERY_CHILD_RELATIONS query_child_relations;
DXGKDDI_QUERY_CHILD_STATUS query_child_status;
DXGKDDI_QUERY_DEVICE_DESCRIPTOR query_device_descriptor;

// power.cc
DXGKDDI_SET_POWER_STATE set_power_state;
DXGKDDI_RESET_DEVICE reset_device;
DXGKDDI_CALIBRATEGPUCLOCK calibrate_gpu_clock;
DXGKDDI_SETSTABLEPOWERSTATE set_stable_power_state;

// interrupt.cc
DXGKDDI_INTERRUPT_ROUTINE interrupt_routine;
DXGKDDI_DPC_ROUTINE dpc_routine;

// query.cc
DXGKDDI_QUERYADAPTERINFO query_adapter_info;
DXGKDDI_GETNODEMETADATA get_node_metadata;

// device.cc
DXGKDDI_CREATEPROCESS create_process;
DXGKDDI_DESTROYPROCESS destroy_process;
DXGKDDI_CREATEDEVICE create_device;
DXGKDDI_DESTROYDEVICE destroy_device;
DXGKDDI_CREATECONTEXT create_context;
DXGKDDI_DESTROYCONTEXT destroy_context;
DXGKDDI_SETVIRTUALMACHINEDATA set_virtual_machine_data;

// allocation.cc, standard.cc
DXGKDDI_CREATEALLOCATION create_allocation;
DXGKDDI_DESTROYALLOCATION destroy_allocation;
DXGKDDI_DESCRIBEALLOCATION describe_allocation;
DXGKDDI_OPENALLOCATIONINFO open_allocation;
DXGKDDI_CLOSEALLOCATION close_allocation;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA get_standard_allocation_driver_data;

// paging.cc, mmu.cc
DXGKDDI_BUILDPAGINGBUFFER build_paging_buffer;
DXGKDDI_SETROOTPAGETABLE set_root_page_table;
DXGKDDI_GETROOTPAGETABLESIZE get_root_page_table_size;

// render.cc, present.cc, gdi.cc
DXGKDDI_RENDER render;
DXGKDDI_PATCH patch;
DXGKDDI_PRESENT present;
DXGKDDI_RENDERKM render_km;

// submit.cc
DXGKDDI_SUBMITCOMMAND submit_command;
DXGKDDI_SUBMITCOMMANDVIRTUAL submit_command_virtual;
DXGKDDI_PREEMPTCOMMAND preempt_command;
DXGKDDI_CANCELCOMMAND cancel_command;
DXGKDDI_QUERYCURRENTFENCE query_current_fence;
DXGKDDI_FORMATHISTORYBUFFER format_history_buffer;

// timeout.cc
DXGKDDI_QUERYENGINESTATUS query_engine_status;
DXGKDDI_QUERYDEPENDENTENGINEGROUP query_dependent_engine_group;
DXGKDDI_RESETENGINE reset_engine;
DXGKDDI_RESETFROMTIMEOUT reset_from_timeout;
DXGKDDI_RESTARTFROMTIMEOUT restart_from_timeout;
DXGKDDI_COLLECTDBGINFO collect_dbg_info;

// escape.cc
DXGKDDI_ESCAPE escape;

}  // namespace softgpu
