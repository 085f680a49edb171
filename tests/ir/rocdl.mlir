// RUN: weft opt %s --split-input-file --verify-roundtrip

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @rocdl(%arg0: i32) {
    rocdl.s.setprio 1
    rocdl.sched.barrier 0
    rocdl.sched.group.barrier 8, 1, 0
    rocdl.iglp.opt 2
    rocdl.s.barrier
    rocdl.barrier
    rocdl.s.waitcnt 3952
    rocdl.s.sleep 3
    rocdl.s.nop 1
    rocdl.s.wait.loadcnt 1
    rocdl.s.wait.storecnt 1
    rocdl.s.wait.dscnt 1
    rocdl.s.wait.expcnt 1
    rocdl.s.wait.asynccnt 1
    rocdl.s.wait.tensorcnt 1
    %0 = rocdl.workitem.id.x : i32
    %1 = rocdl.workitem.id.y : i32
    %2 = rocdl.workitem.id.z : i32
    %3 = rocdl.readfirstlane %arg0 : i32
    tt.return
  }
}
