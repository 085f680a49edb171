// RUN: weft opt %s --split-input-file --verify-diagnostics

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%ring: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %two: !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'nvws.aref.create' op Leading dims of sliced aref inputs don't match}}
    %r = nvws.aref.create %ring, %two : <[!ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>]>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32) {
    // expected-error@below {{'result' must be !nvws.aref, but got 'i32'}}
    %r = nvws.aref.create %i : i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32) {
    // expected-error@below {{'nvws.warp_group' op Must supply numWarps for each Warp Group.}}
    %r = "nvws.warp_group"() <{numWarps = array<i32: 4>}> ({
      nvws.warp_group.yield %i : i32
    }, {
      nvws.warp_group.return
    }) : () -> i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32) {
    // expected-error@below {{'nvws.warp_group' op types of the results must match those of the first yield}}
    %r = "nvws.warp_group"() <{numWarps = array<i32: 4, 2>}> ({
      nvws.warp_group.yield %i : i32
    }, {
      nvws.warp_group.return
    }) : () -> i64
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{'nvws.warp_group' op region #0 ('partitionRegions') failed to verify constraint: region with at least 1 blocks}}
    %r = "nvws.warp_group"() <{numWarps = array<i32>}> ({
    }) : () -> i64
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32) {
    // expected-error@below {{expected nvws.async_op to be one of: none, tma_load, tc5mma, tmem_copy, cp_async, wgmma; found tma_lod (did you mean tma_load?)}}
    nvws.aref.put.exit %r0[%i], %t0 [#nvws.async_op<tma_lod>] : <[!ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>]>, !ttg.async.token
    tt.return
  }
}
