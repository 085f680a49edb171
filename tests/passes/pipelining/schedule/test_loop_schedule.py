"""Stages and clusters of operations, and their attributes."""

from __future__ import annotations

import pytest

from weft.ir.text import parse_module, print_module
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule, remove_schedules

LOOP = """
tt.func @k(%n: i32, %x: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %x, %v = %x) -> (f32, f32) : i32 {
    %a = arith.addf %u, %x : f32
    %b = arith.mulf %a, %v : f32
    %c = arith.subf %b, %a : f32
    scf.yield %b, %c : f32, f32
  }
  tt.return
}
"""


@pytest.fixture
def loop():
    (loop,) = loops_inner_first(parse_module(LOOP))
    return loop


@pytest.fixture
def ops(loop):
    return [op for op in loop.block.ops if op is not loop.terminator]


def test_a_cluster_can_be_inserted_between_others(ops):
    schedule = LoopSchedule()
    first, second = schedule.clusters.append(), schedule.clusters.append()
    schedule.insert(ops[0], 0, second)
    between = schedule.clusters.insert_before(second)
    front = schedule.clusters.prepend()
    assert list(schedule.clusters) == [front, first, between, second]
    assert [cluster.index for cluster in schedule.clusters] == [0, 1, 2, 3]
    assert schedule.cluster(ops[0]).index == 3


def test_inserting_grows_the_number_of_stages(ops):
    schedule = LoopSchedule()
    cluster = schedule.clusters.append()
    schedule.insert(ops[0], 2, cluster)
    assert schedule.num_stages == 3
    assert not schedule.insert_if_absent(ops[0], 1, cluster)
    assert schedule.stage(ops[0]) == 2


def test_insert_minimum_keeps_the_earlier_position(ops):
    schedule = LoopSchedule(3)
    first, second = schedule.clusters.append(), schedule.clusters.append()
    schedule.insert(ops[0], 1, second)
    assert not schedule.insert_minimum(ops[0], 2, first)
    assert not schedule.insert_minimum(ops[0], 1, second)
    assert schedule.insert_minimum(ops[0], 1, first)
    assert schedule.insert_minimum(ops[0], 0, second)
    assert schedule[ops[0]] == (0, second)


def test_dependencies_are_scheduled_with_their_user(ops):
    schedule = LoopSchedule(2)
    cluster = schedule.clusters.append()
    schedule.insert_dependencies(ops[2], 1, cluster, follow_iter_args=False, earlier_wins=True)
    assert set(schedule) == {ops[0], ops[1]}


def test_dependencies_through_iter_args(ops):
    schedule = LoopSchedule(2)
    cluster = schedule.clusters.append()
    schedule.insert_dependencies(ops[0], 1, cluster, follow_iter_args=True, earlier_wins=False)
    assert set(schedule) == {ops[0], ops[1], ops[2]}, "%u is %b, which needs %v, which is %c"


def test_operations_are_ordered_by_cluster(loop, ops):
    schedule = LoopSchedule(2)
    first, second = schedule.clusters.append(), schedule.clusters.append()
    schedule.insert(ops[0], 0, second)
    schedule.insert(ops[1], 1, first)
    schedule.insert(ops[2], 1, first)
    assert schedule.ops_in_order(loop) == [ops[1], ops[2], ops[0]]
    assert schedule.is_before(ops[0], ops[1]), "an earlier stage"
    assert schedule.is_before(ops[1], ops[2])
    assert not schedule.is_before(ops[1], ops[1])


def test_following_wraps_around_with_one_more_stage(loop, ops):
    schedule = LoopSchedule(2)
    first, second = schedule.clusters.append(), schedule.clusters.append()
    schedule.insert(ops[0], 0, second)
    schedule.insert(ops[1], 1, first)
    schedule.insert(ops[2], 1, first)
    names = [op.name for op in schedule.following(loop, ops[0])]
    assert names == [ops[1].name, ops[2].name, ops[0].name, ops[1].name, ops[2].name]


def test_splitting_a_cluster_moves_what_precedes(loop, ops):
    schedule = LoopSchedule(1)
    cluster = schedule.clusters.append()
    for op in ops:
        schedule.insert(op, 0, cluster)
    assert schedule.split_cluster_before(ops[1], loop) is cluster
    assert [schedule.cluster(op).index for op in ops] == [0, 1, 1]
    assert schedule.split_cluster_before(ops[0], loop).index == 0
    assert len(schedule.clusters) == 2, "nothing precedes the first operation"


def test_shrinking_drops_stages_that_are_not_used(ops):
    schedule = LoopSchedule(5)
    cluster = schedule.clusters.append()
    schedule.insert(ops[0], 1, cluster)
    schedule.insert(ops[1], 3, cluster)
    schedule.shrink_to_fit()
    assert [schedule.stage(op) for op in ops[:2]] == [0, 2]
    assert schedule.num_stages == 3


def test_attributes_round_trip(loop, ops):
    schedule = LoopSchedule(3)
    clusters = [schedule.clusters.append() for _ in range(4)]
    schedule.insert(ops[0], 0, clusters[3])
    schedule.insert(ops[1], 2, clusters[1])
    schedule.write(loop)
    again = LoopSchedule.read(loop, normalize_clusters=False)
    assert again is not None
    assert again.num_stages == 3
    assert len(again.clusters) == 4
    assert (again.stage(ops[0]), again.cluster(ops[0]).index) == (0, 3)
    assert ops[2] not in again
    normal = LoopSchedule.read(loop)
    assert normal is not None
    assert [normal.cluster(op).index for op in ops[:2]] == [2, 0]


def test_the_last_stage_of_an_earlier_schedule_stays(loop, ops):
    for num_stages in (4, 2):
        schedule = LoopSchedule(num_stages)
        schedule.insert(ops[0], 0, schedule.clusters.append())
        schedule.write(loop)
    again = LoopSchedule.read(loop)
    assert again is not None
    assert again.num_stages == 4


def test_a_loop_without_attributes_has_no_schedule(loop):
    assert LoopSchedule.read(loop) is None


def test_removing_leaves_no_attribute(loop, ops):
    module = loop.get_toplevel_object()
    before = print_module(module)
    schedule = LoopSchedule(1)
    schedule.insert(ops[0], 0, schedule.clusters.append())
    schedule.write(loop)
    assert print_module(module) != before
    remove_schedules(module)
    assert print_module(module) == before
