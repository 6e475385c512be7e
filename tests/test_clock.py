"""Clocks: the machine's own, and a virtual one on which nobody waits."""

import time

import pytest

from sweepbot.clock import Clock, SystemClock, VirtualClock


@pytest.mark.parametrize("clock", [SystemClock(), VirtualClock()])
def test_sleep_lets_time_pass(clock: Clock) -> None:
    """After sleep at least that much time has passed."""
    before = clock.now()
    clock.sleep(0.02)
    assert clock.now() - before >= 0.02


def test_nobody_waits_on_a_virtual_clock() -> None:
    """An hour of virtual sleep takes no real time."""
    began = time.perf_counter()
    VirtualClock().sleep(3600)
    assert time.perf_counter() - began < 60


def test_virtual_time_passes_when_it_is_read() -> None:
    """A loop that waits for a moment without sleeping ends."""
    clock = VirtualClock()
    until = clock.now() + 0.01
    asked = 0
    while clock.now() < until:
        asked += 1
    assert 50 < asked < 200


def test_a_deadline_holds_on_the_machines_clock_only() -> None:
    """A deadline of 0 s is over at once; on a virtual clock, where computing takes no time, none ever is."""
    assert SystemClock().deadline(0.0)()
    assert not SystemClock().deadline(3600.0)()
    clock = VirtualClock()
    over = clock.deadline(1.0)
    clock.sleep(2.0)
    assert not over()
