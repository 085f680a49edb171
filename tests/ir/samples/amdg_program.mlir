#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @amdg_program(%arg0: i1, %arg1: i16, %arg2: i32, %arg3: !ttg.memdesc<1xi64, #shared, #smem, mutable>, %arg4: !llvm.ptr, %arg5: !llvm.ptr<3>, %arg6: vector<8xf16>, %arg7: tensor<128x64xf16, #gluon.auto_encoding>) {
    amdg.cond_barrier %arg0
    amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}
    amdg.init_barrier %arg3, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    amdg.wait_barrier %arg3, %arg2 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    %0 = amdg.arrive_barrier %arg3, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable> -> i32
    amdg.async_copy_mbarrier_arrive %arg3 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    %1 = amdg.masked_load %arg4, %arg0, %arg6 : (!llvm.ptr, i1, vector<8xf16>) -> vector<8xf16>
    %2 = amdg.masked_load %arg5, %arg0, %arg6 cacheModifier = cg forceNoAlias true : (!llvm.ptr<3>, i1, vector<8xf16>) -> vector<8xf16>
    %3 = amdg.masked_load %arg4, %arg0, %arg6, %arg1 cacheModifier = cg : (!llvm.ptr, i1, vector<8xf16>, i16) -> vector<8xf16>
    amdg.masked_store %arg4, %1, %arg0 : !llvm.ptr, vector<8xf16>, i1
    amdg.masked_store %arg4, %2, %arg0 cacheModifier = cg forceNoAlias true : !llvm.ptr, vector<8xf16>, i1
    %4 = gluon.set_auto_layout %arg7 : tensor<128x64xf16, #gluon.auto_encoding> -> tensor<128x64xf16, #blocked>
    llvm.intr.assume %arg0 : i1
    tt.return
  }
}
