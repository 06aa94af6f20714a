// D3DKMTEscape.
#include "kmt/testing/kmt_fixture.h"

namespace kmt::testing {
namespace {

DXGKARG_ESCAPE g_last;

NTSTATUS APIENTRY add_one(IN_CONST_HANDLE, IN_CONST_PDXGKARG_ESCAPE args) {
  g_last = *args;
  auto* bytes = static_cast<uint8_t*>(args->pPrivateDriverData);
  for (UINT i = 0; i < args->PrivateDriverDataSize; ++i) ++bytes[i];
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY refuse(IN_CONST_HANDLE, IN_CONST_PDXGKARG_ESCAPE args) {
  static_cast<uint8_t*>(args->pPrivateDriverData)[0] = 0x66;
  return STATUS_INVALID_PARAMETER;
}

class EscapeTest : public KmtTest {
 protected:
  EscapeTest() { driver.table.DxgkDdiEscape = &add_one; }
  D3DKMT_ESCAPE escape(Program& program) {
    D3DKMT_ESCAPE args{};
    args.hAdapter = program.adapter;
    args.pPrivateDriverData = data;
    args.PrivateDriverDataSize = sizeof(data);
    return args;
  }
  uint8_t data[4] = {1, 2, 3, 4};
};

TEST_F(EscapeTest, TheDriversAnswerComesBack) {
  run_program([&](Program& program) {
    D3DKMT_ESCAPE args = escape(program);
    EXPECT_EQ(Escape(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(data[0], 2);
    EXPECT_EQ(data[3], 5);
    EXPECT_EQ(g_last.hDevice, nullptr);
    EXPECT_NE(g_last.pPrivateDriverData, data) << "the driver never sees the client's memory";
    args.hDevice = program.device;
    args.Flags.HardwareAccess = 1;
    EXPECT_EQ(Escape(program.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(data[0], 3);
    EXPECT_NE(g_last.hDevice, nullptr);
    EXPECT_TRUE(g_last.Flags.HardwareAccess);
  });
}

TEST_F(EscapeTest, WhatIsRefused) {
  run_program([&](Program& program) {
    D3DKMT_ESCAPE args{};
    EXPECT_EQ(Escape(program.client, &args), STATUS_INVALID_PARAMETER) << "zeroed";
    EXPECT_EQ(Escape(program.client, nullptr), STATUS_INVALID_PARAMETER);
    for (UINT type : {0x80000000u, 0x80000001u, 41u, 1000u, 2000u}) {
      args = escape(program);
      std::memcpy(&args.Type, &type, sizeof(type));
      args.hContext = kNoHandle;
      EXPECT_EQ(Escape(program.client, &args), STATUS_INVALID_PARAMETER) << type;
    }
    args = escape(program);
    args.Type = D3DKMT_ESCAPE_VIDMM;
    EXPECT_EQ(Escape(program.client, &args), STATUS_NOT_SUPPORTED);
    args = escape(program);
    args.hContext = kNoHandle;
    EXPECT_EQ(Escape(program.client, &args), STATUS_INVALID_PARAMETER);
    args = escape(program);
    args.hDevice = program.adapter;
    EXPECT_EQ(Escape(program.client, &args), STATUS_INVALID_PARAMETER);
    args = escape(program);
    args.Flags.Reserved = 1;
    EXPECT_EQ(Escape(program.client, &args), STATUS_INVALID_PARAMETER);
    args = escape(program);
    args.PrivateDriverDataSize = UINT32_MAX;
    EXPECT_EQ(Escape(program.client, &args), STATUS_NO_MEMORY);
    EXPECT_EQ(data[0], 1);
  });
}

TEST_F(EscapeTest, ARefusalChangesNothing) {
  driver.table.DxgkDdiEscape = &refuse;
  run_program([&](Program& program) {
    D3DKMT_ESCAPE args = escape(program);
    EXPECT_EQ(Escape(program.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(data[0], 1);
  });
}

TEST_F(EscapeTest, ADriverWithoutEscapes) {
  driver.table.DxgkDdiEscape = nullptr;
  run_program([&](Program& program) {
    D3DKMT_ESCAPE args = escape(program);
    EXPECT_EQ(Escape(program.client, &args), STATUS_NOT_SUPPORTED);
  });
}

}  // namespace
}  // namespace kmt::testing
