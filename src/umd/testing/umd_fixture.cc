#include "umd/testing/umd_fixture.h"

#include "nt/hardware/interrupts.h"
#include "nt/io/device_objects.h"

namespace umd::testing {
namespace {

using dxgk::Ddi;

void call_body(const std::function<void()>* body) { (*body)(); }

}  // namespace

TestDevice::TestDevice(Runtime& its_runtime, kmt::Client& client, D3DKMT_HANDLE adapter, nt::Scope& scope)
    : Device(its_runtime, client, adapter, scope, Era::Wddm24) {
  CHECK(create_kernel_device().ok());
}

UmdTest::UmdTest(Model model) : KmtTest(model) {
  hardware.line = nt::InterruptLine{kVector, 6};
  driver.context_info.DmaBufferSize = 4096;
  driver.context_info.AllocationListSize = 16;
  driver.context_info.PatchLocationListSize = 32;
  driver.submit = [this](const DXGKARG_SUBMITCOMMAND& args) { return complete(args.SubmissionFenceId); };
  driver.submit_virtual = [this](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) { return complete(args.SubmissionFenceId); };
  driver.at[Ddi::InterruptRoutine] = [this] {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = fence_;
    driver.interface.DxgkCbNotifyInterrupt(driver.device_handle(), &data);
    driver.interface.DxgkCbQueueDpc(driver.device_handle());
  };
  driver.at[Ddi::DpcRoutine] = [this] { driver.interface.DxgkCbNotifyDpc(driver.device_handle()); };
  if (model == Model::Wddm13) driver.paging_segment = 0;
}

NTSTATUS UmdTest::complete(UINT fence) {
  fence_ = fence;
  machine().interrupts().raise(kVector);
  return STATUS_SUCCESS;
}

void UmdTest::run_driver(const std::function<void()>& body, Role role) {
  run_program([&](kmt::testing::Program& program) {
    Runtime runtime(machine(), {}, "test driver");
    nt::Scope scope(nt::ScopeKind::Adapter, "test driver", nullptr);
    TestDevice device(runtime, program.client, program.adapter, scope);
    program_ = &program;
    runtime_ = &runtime;
    scope_ = &scope;
    device_ = &device;
    in_function("function of the test", role, body);
    other_.reset();
  });
}

Frame UmdTest::in_function(const char* name, Role role, const std::function<void()>& body) {
  Frame frame;
  frame.name = name;
  frame.role = role;
  device_->call(frame, &call_body, &body);
  return frame;
}

void UmdTest::on_other_thread(const std::function<void()>& body) {
  bool done = false;
  machine().create_thread("other", [&] {
    body();
    done = true;
  });
  while (!done) machine().executor().yield(base::Point::Yield);
}

TestDevice& UmdTest::other_device() {
  if (!other_) other_.emplace(*runtime_, program_->client, program_->adapter, *scope_);
  return *other_;
}

D3DKMT_HANDLE UmdTest::allocate(HANDLE resource) {
  D3DDDI_ALLOCATIONINFO info{};
  D3DDDICB_ALLOCATE args{};
  args.hResource = resource;
  args.NumAllocations = 1;
  args.pAllocationInfo = &info;
  CHECK(table().pfnAllocateCb(handle(), &args) == S_OK);
  return info.hAllocation;
}

void UmdTest::deallocate(D3DKMT_HANDLE allocation) {
  D3DDDICB_DEALLOCATE args{};
  args.NumAllocations = 1;
  args.HandleList = &allocation;
  CHECK(table().pfnDeallocateCb(handle(), &args) == S_OK);
}

D3DKMT_HANDLE UmdTest::allocate_and_deallocate() {
  D3DKMT_HANDLE allocation = allocate();
  deallocate(allocation);
  return allocation;
}

HANDLE UmdTest::make_resource(UINT allocations) {
  HANDLE resource;
  {
    RuntimeGuard guard(device_->runtime.lock);
    resource = device_->add_resource().handle;
  }
  for (UINT i = 0; i < allocations; ++i) allocate(resource);
  return resource;
}

void UmdTest::deallocate_resource(HANDLE resource) {
  {
    RuntimeGuard guard(device_->runtime.lock);
    static_cast<Resource*>(device_->runtime.handles.find(resource).object)->state = ResourceState::Zombie;
  }
  D3DDDICB_DEALLOCATE args{};
  args.hResource = resource;
  CHECK(table().pfnDeallocateCb(handle(), &args) == S_OK);
}

Resource* UmdTest::resource_at(HANDLE resource) {
  RuntimeGuard guard(device_->runtime.lock);
  return static_cast<Resource*>(device_->runtime.handles.find(resource).object);
}

void UmdTest::draw(Resource* resource) {
  Frame frame;
  in_function("DrawPrimitive", Role::Draw, [&] { frame = *device_->frame(); });
  device_->use(frame, {&resource, 1}, Work::Draw);
}

bool UmdTest::pending(const Resource* resource) {
  RuntimeGuard guard(device_->runtime.lock);
  return device_->has_pending_commands(*resource);
}

D3DDDICB_CREATECONTEXT UmdTest::make_context() {
  D3DDDICB_CREATECONTEXT args{};
  CHECK(table().pfnCreateContextCb(handle(), &args) == S_OK);
  return args;
}

HANDLE UmdTest::make_virtual_context(TestDevice* on, UINT node) {
  TestDevice& owner = on ? *on : *device_;
  D3DDDICB_CREATECONTEXTVIRTUAL args{};
  args.NodeOrdinal = node;
  Frame frame;
  frame.name = "another function";
  owner.enter(frame);
  CHECK(owner.callbacks().pfnCreateContextVirtualCb(owner.handle(), &args) == S_OK);
  owner.leave(frame);
  return args.hContext;
}

D3DDDICB_CREATEPAGINGQUEUE UmdTest::make_queue() {
  D3DDDICB_CREATEPAGINGQUEUE args{};
  CHECK(table().pfnCreatePagingQueueCb(handle(), &args) == S_OK);
  return args;
}

D3DKMT_HANDLE UmdTest::make_fence(D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type) {
  D3DDDICB_CREATESYNCHRONIZATIONOBJECT2 args{};
  args.Info.Type = type;
  CHECK(table().pfnCreateSynchronizationObject2Cb(handle(), &args) == S_OK);
  return args.hSyncObject;
}

void UmdTest::lose_device() {
  D3DKMT_MARKDEVICEASERROR args{.hDevice = device_->kernel(), .Reason = D3DKMT_DEVICE_ERROR_REASON_GENERIC};
  CHECK(kmt::MarkDeviceAsError(program_->client, &args) == STATUS_SUCCESS);
}

uint64_t UmdTest::submissions() {
  RuntimeGuard guard(device_->runtime.lock);
  return device_->submissions();
}

void UmdTest::expect_found(const std::vector<std::string>& names, base::Here where) {
  std::string sentences;
  for (const nt::ViolationReport& violation : observer.violations) sentences += violation.sentence + "\n";
  EXPECT_EQ(findings(), names) << "line " << where.line << "\n" << sentences;
}

}  // namespace umd::testing
