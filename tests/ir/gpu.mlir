// RUN: weft opt %s --split-input-file --verify-roundtrip

module {
  tt.func public @gpu() attributes {noinline = false} {
    gpu.barrier
    gpu.barrier memfence [#gpu.address_space<workgroup>, #gpu.address_space<global>]
    gpu.barrier memfence []
    tt.return
  }
}
