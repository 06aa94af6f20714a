#pragma once

// Drydock in your own tests: a Windows display or streaming driver on a simulated machine, inside of your process.
//
//   drydock::Host host("build/mykmd.so");
//   ASSERT_TRUE(host.started()) << host.refusal();
//   drydock::Device device = host.process().open_device();
//   drydock::Resource resource = device.create_resource(2);
//   EXPECT_EQ(resource.destroy(drydock::SynchronousDestroy), drydock::kSuccess);
//   EXPECT_EQ(host.calls("DxgkDdiDestroyAllocation"), 1u);
//   host.stop();
//   EXPECT_TRUE(host.findings().empty()) << host.report();
//
// With a user-mode driver above it, HostOptions::umd, the program is one of Direct3D: Process::direct3d9(). A driver
// that is a minidriver of AVStream has devices that stream instead: Host::stream_program().
//
// C++17. Nothing throws. The structures of the raw D3DKMT functions are those of <d3dkmthk.h>, which is installed too.

#include "drydock/client.h"    // IWYU pragma: export
#include "drydock/direct3d.h"  // IWYU pragma: export
#include "drydock/finding.h"   // IWYU pragma: export
#include "drydock/host.h"      // IWYU pragma: export
#include "drydock/ledger.h"    // IWYU pragma: export
#include "drydock/stream.h"    // IWYU pragma: export
#include "drydock/version.h"   // IWYU pragma: export
