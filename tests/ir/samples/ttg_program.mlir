module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @ttg_program(%arg0: i32, %arg1: i32, %arg2: i1) {
    %0 = ttg.warp_specialize(%arg0) attributes {requestedRegisters = array<i32: 24, 48>, warpGroupStartIds = array<i32: 4, 6>}
    default {
      ttg.warp_yield %arg0 : i32
    }
    partition0(%arg3: i32) num_warps(2) {
      %3 = arith.addi %arg3, %arg3 {ttg.partition = array<i32: 0, 1>} : i32
      ttg.warp_return
    }
    partition1(%arg3: i32) num_warps(1) {
      ttg.warp_return
    } : (i32) -> i32
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    } : () -> ()
    %1 = ttg.predicate_stage %arg0, %arg1, %arg1 maxStage 2 stage 1 : i32 -> i1
    %2 = "ttg.mask"(%1) ({
      %3 = arith.addi %0, %0 : i32
      ttg.mask.return %3 : i32
    }) : (i1) -> i32
    "ttg.mask"(%arg2) ({
      ttg.mask.return  : 
    }) : (i1) -> ()
    scf.for %arg3 = %arg0 to %arg1 step %arg1  : i32 {
      %3 = arith.muli %arg3, %2 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32
    } {tt.scheduled_max_stage = 1 : i32, tt.warp_specialize, ttg.partition.stages = [0 : i32, 1 : i32], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}
