"""The operations of the rocdl dialect that occur in TTGIR for AMD: single instructions.

    rocdl.s.setprio 1
    rocdl.sched.barrier 0
    %x = rocdl.workitem.id.x : i32

Immediate operands of the instructions are properties, spelled as numbers without a type.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Dialect
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure

from weft.ir import types
from weft.ir.constraints import TypedInteger, i32_prop, prop_def
from weft.ir.llvm import LLVM_TYPE
from weft.ir.op_traits import AllTypesMatch
from weft.ir.operation import Infer, Op, operation, same

__all__ = [
    "BarrierOp",
    "IglpOptOp",
    "ReadfirstlaneOp",
    "Rocdl",
    "SBarrierOp",
    "SNopOp",
    "SSleepOp",
    "SWaitcntOp",
    "SchedBarrierOp",
    "SchedGroupBarrierOp",
    "SetPrioOp",
    "WaitAsynccntOp",
    "WaitDscntOp",
    "WaitExpcntOp",
    "WaitLoadcntOp",
    "WaitStorecntOp",
    "WaitTensorcntOp",
    "WorkitemIdXOp",
    "WorkitemIdYOp",
    "WorkitemIdZOp",
]


@operation
class SetPrioOp(Op):
    """Set the priority of the wavefront, 0 to 3.  `rocdl.s.setprio 1`"""

    name = "rocdl.s.setprio"
    priority = prop_def(TypedInteger(types.i16))
    FORMAT: ClassVar[str] = "$priority attr-dict"


@operation
class SchedBarrierOp(Op):
    """Forbid moving instructions across, except those that the mask names.

    `rocdl.sched.barrier 0`
    """

    name = "rocdl.sched.barrier"
    mask = i32_prop()
    FORMAT: ClassVar[str] = "$mask attr-dict"


@operation
class SchedGroupBarrierOp(Op):
    """Ask the scheduler for a group of `size` instructions that the mask names.

    `rocdl.sched.group.barrier 8, 1, 0`
    """

    name = "rocdl.sched.group.barrier"
    mask = i32_prop()
    size = i32_prop()
    groupId = i32_prop()
    FORMAT: ClassVar[str] = "$mask `,` $size `,` $groupId attr-dict"


@operation
class IglpOptOp(Op):
    """Select a strategy of instruction-group-level parallelism.  `rocdl.iglp.opt 2`"""

    name = "rocdl.iglp.opt"
    variant = i32_prop()
    FORMAT: ClassVar[str] = "$variant attr-dict"


@operation
class SBarrierOp(Op):
    """Wait for all waves of the block.  `rocdl.s.barrier`"""

    name = "rocdl.s.barrier"
    FORMAT: ClassVar[str] = "attr-dict"


@operation
class BarrierOp(Op):
    """Wait for all waves of the block, and for their memory.  `rocdl.barrier`"""

    name = "rocdl.barrier"
    FORMAT: ClassVar[str] = "attr-dict"


@operation
class SWaitcntOp(Op):
    """Wait for the memory counters in a bit field.  `rocdl.s.waitcnt 3952`"""

    name = "rocdl.s.waitcnt"
    bitfield = i32_prop()
    FORMAT: ClassVar[str] = "$bitfield attr-dict"


@operation
class SSleepOp(Op):
    """Sleep for about 64 · count cycles.  `rocdl.s.sleep 3`"""

    name = "rocdl.s.sleep"
    count = i32_prop()
    FORMAT: ClassVar[str] = "$count attr-dict"


@operation
class SNopOp(Op):
    """Do nothing for count + 1 cycles.  `rocdl.s.nop 1`"""

    name = "rocdl.s.nop"
    count = prop_def(TypedInteger(types.i16))
    FORMAT: ClassVar[str] = "$count attr-dict"


@operation
class WaitLoadcntOp(Op):
    """Wait until at most `count` loads are pending.  `rocdl.s.wait.loadcnt 0`"""

    name = "rocdl.s.wait.loadcnt"
    count = prop_def(TypedInteger(types.i16))
    FORMAT: ClassVar[str] = "$count attr-dict"


@operation
class WaitStorecntOp(Op):
    """Wait until at most `count` stores are pending.  `rocdl.s.wait.storecnt 0`"""

    name = "rocdl.s.wait.storecnt"
    count = prop_def(TypedInteger(types.i16))
    FORMAT: ClassVar[str] = "$count attr-dict"


@operation
class WaitDscntOp(Op):
    """Wait until at most `count` LDS operations are pending.  `rocdl.s.wait.dscnt 0`"""

    name = "rocdl.s.wait.dscnt"
    count = prop_def(TypedInteger(types.i16))
    FORMAT: ClassVar[str] = "$count attr-dict"


@operation
class WaitExpcntOp(Op):
    """Wait until at most `count` exports are pending.  `rocdl.s.wait.expcnt 0`"""

    name = "rocdl.s.wait.expcnt"
    count = prop_def(TypedInteger(types.i16))
    FORMAT: ClassVar[str] = "$count attr-dict"


@operation
class WaitAsynccntOp(Op):
    """Wait until at most `count` copies to LDS are pending.  `rocdl.s.wait.asynccnt 0`"""

    name = "rocdl.s.wait.asynccnt"
    count = prop_def(TypedInteger(types.i16))
    FORMAT: ClassVar[str] = "$count attr-dict"


@operation
class WaitTensorcntOp(Op):
    """Wait until at most `count` tensor copies are pending.  `rocdl.s.wait.tensorcnt 0`"""

    name = "rocdl.s.wait.tensorcnt"
    count = prop_def(TypedInteger(types.i16))
    FORMAT: ClassVar[str] = "$count attr-dict"


@operation
class WorkitemIdXOp(Op):
    """The index of the thread in its workgroup along x.  `%x = rocdl.workitem.id.x : i32`"""

    name = "rocdl.workitem.id.x"
    result = result_def(LLVM_TYPE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "attr-dict `:` type($result)"


@operation
class WorkitemIdYOp(Op):
    """The index of the thread in its workgroup along y.  `%y = rocdl.workitem.id.y : i32`"""

    name = "rocdl.workitem.id.y"
    result = result_def(LLVM_TYPE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "attr-dict `:` type($result)"


@operation
class WorkitemIdZOp(Op):
    """The index of the thread in its workgroup along z.  `%z = rocdl.workitem.id.z : i32`"""

    name = "rocdl.workitem.id.z"
    result = result_def(LLVM_TYPE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "attr-dict `:` type($result)"


@operation
class ReadfirstlaneOp(Op):
    """Broadcast the value of the first active lane.  `%r = rocdl.readfirstlane %x : i32`"""

    name = "rocdl.readfirstlane"
    src = operand_def(LLVM_TYPE)
    res = result_def(LLVM_TYPE)
    traits = traits_def(AllTypesMatch(("res", "src")))
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($res)"
    INFER: ClassVar[Infer] = {"src": same("res")}


Rocdl = Dialect(
    "rocdl",
    [
        SetPrioOp,
        SchedBarrierOp,
        SchedGroupBarrierOp,
        IglpOptOp,
        SBarrierOp,
        BarrierOp,
        SWaitcntOp,
        SSleepOp,
        SNopOp,
        WaitLoadcntOp,
        WaitStorecntOp,
        WaitDscntOp,
        WaitExpcntOp,
        WaitAsynccntOp,
        WaitTensorcntOp,
        WorkitemIdXOp,
        WorkitemIdYOp,
        WorkitemIdZOp,
        ReadfirstlaneOp,
    ],
)
