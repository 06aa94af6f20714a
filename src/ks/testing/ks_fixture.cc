#include "ks/testing/ks_fixture.h"

#include "nt/io/file_objects.h"
#include "nt/mm/pool.h"

namespace ks::testing {

void KsTest::run_driver(const std::function<void()>& body) {
  run([&] { play(body); });
  keep_wreck();
}

void KsTest::run_stuck(const std::function<void()>& body) {
  run_to_stop([&] { play(body); });
  keep_wreck();
}

// What a stopped run leaves are parts of a destroyed machine: they are never freed.
void KsTest::keep_wreck() {
  struct Wreck {
    std::unique_ptr<Program> program;
    std::unique_ptr<PnpSlot> slot;
    std::unique_ptr<System> system;
  };
  static auto& wrecks = *new std::vector<Wreck>;
  if (system_) wrecks.push_back({std::move(program_), std::move(slot_), std::move(system_)});
}

void KsTest::run_driver_seeds(uint64_t seeds, const std::function<void()>& body) {
  run_seeds(seeds, [&] { play(body); });
}

void KsTest::play(const std::function<void()>& body) {
  system_ = std::make_unique<System>(machine(), policy);
  auto make = [&](size_t bytes) {
    return machine().pool().allocate(bytes, 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  };
  auto& object = *static_cast<DRIVER_OBJECT*>(make(sizeof(DRIVER_OBJECT)));
  object.DriverExtension = static_cast<DRIVER_EXTENSION*>(make(sizeof(DRIVER_EXTENSION)));
  nt::Scope scope(nt::ScopeKind::Driver, "fake", &machine().root_scope());
  ASSERT_TRUE(system_->register_driver(object, &driver.descriptor, scope).ok());
  slot_ = std::make_unique<PnpSlot>(*system_, nullptr);
  ASSERT_TRUE(slot_->add(object).ok());
  ASSERT_EQ(slot_->start(), STATUS_SUCCESS);
  program_ = std::make_unique<Program>(machine(), "program");
  body();
  program_.reset();
  if (slot_->device()) {
    EXPECT_EQ(slot_->remove(), STATUS_SUCCESS);
  }
  slot_.reset();
  system_->unregister_driver(object);
  machine().end_scope(scope);
  system_.reset();
}

HANDLE KsTest::open_filter() {
  auto filter = program().open_filter(device(), 0);
  EXPECT_TRUE(filter.ok());
  return filter.ok() ? filter.take() : nullptr;
}

KSPIN_CONNECT KsTest::connect(ULONG id, HANDLE to) { return standard_connect(id, to); }

KSDATAFORMAT KsTest::format() {
  KSDATAFORMAT format{};
  format.FormatSize = sizeof(KSDATAFORMAT);
  format.MajorFormat = KSDATAFORMAT_TYPE_VIDEO;
  return format;
}

HANDLE KsTest::open_pin(HANDLE filter, ULONG id, HANDLE to) {
  auto pin = program().open_pin(filter, connect(id, to), format());
  EXPECT_TRUE(pin.ok()) << "pin " << id;
  return pin.ok() ? pin.take() : nullptr;
}

FILE_OBJECT& KsTest::file_of(HANDLE handle) {
  auto file = machine().files().find(&program().process(), handle, UserMode);
  CHECK(file.ok());
  machine().files().dereference(*file.value());
  return *file.value();
}

Pin& KsTest::pin_of(HANDLE handle) { return *static_cast<Pin*>(node_of(&file_of(handle))); }
Filter& KsTest::filter_of(HANDLE handle) { return *static_cast<Filter*>(node_of(&file_of(handle))); }

void KsTest::on_other_thread(const std::function<void()>& body) {
  base::Executor& executor = machine().executor();
  base::Task* self = base::Executor::current();
  bool done = false;
  machine().create_thread("other", [&] {
    body();
    done = true;
    executor.unpark(*self);
  });
  executor.park_until([&] { return done; }, base::Point::Wait);
}

void KsTest::rest(base::TimeNs duration) { machine().executor().sleep_for(duration); }

}  // namespace ks::testing
