// RUN: weft opt %s --split-input-file --verify-diagnostics

module {
  tt.func @f() {
    // expected-error@below {{expected gpu.address_space to be one of: global, workgroup, private; found shared}}
    gpu.barrier memfence [#gpu.address_space<shared>]
    tt.return
  }
}
