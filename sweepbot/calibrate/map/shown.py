"""A person shows how a new game is started: the pointer's place is watched until there is a new board."""

from sweepbot.behaviour import Restart
from sweepbot.calibrate.map.situation import Situation
from sweepbot.calibrate.map.ways import click_at
from sweepbot.calibrate.thresholds import PACE
from sweepbot.control.guard import HAND_MOVED_PX
from sweepbot.geometry import Point


def is_shown_anew(situation: Situation) -> tuple[bool, Point | None]:
    """Watch until a person has started a new game; return whether they have, and where the pointer was then.

    That is where it was just before the picture of the board changed, after it had been at rest; None if the pointer
    had not been moved, so that it was a key. The mouse is the person's until it rests again.

    Raises what `Guard.check` raises, but not as the pointer is moved.
    """
    touch, guard = situation.touch, situation.touch.guard
    start = before = acted = guard.let_go()
    rested_s, has_changed = 0.0, False
    for look in guard.watch(touch.seen.region):
        now = guard.let_go()
        if look.before is not None:
            acted, has_changed = (before if rested_s >= PACE.quiet_s else acted), True
        elif has_changed and look.rests_s >= PACE.quiet_s:
            situation.look()
            if situation.has_begun_anew:
                break
            has_changed = False
        if look.since_s >= PACE.shown_s:
            return False, None
        before, rested_s = now, look.rests_s
    _wait_until_at_rest(situation)
    is_moved = max(abs(acted.x - start.x), abs(acted.y - start.y)) > HAND_MOVED_PX
    return True, acted if is_moved else None


def shown_way(at: Point, situation: Situation) -> Restart | None:
    """Return the way to click where a person has, on the board or beside it; None if that is not the client's."""
    board = situation.place.region
    if at in board:
        across, down = (at.x - board.x + 0.5) / board.width, (at.y - board.y + 0.5) / board.height
        return Restart(on_board=(round(across, 3), round(down, 3)))
    return click_at(at, situation.place) if situation.touch.window.owns(at) else None


def _wait_until_at_rest(situation: Situation) -> None:
    """Wait until a person has let go of the mouse."""
    touch = situation.touch
    at, since = touch.guard.let_go(), touch.clock.now()
    while touch.clock.now() - since < PACE.let_go_s:
        touch.rest(PACE.glance_s)
        if (now := touch.guard.let_go()) != at:
            at, since = now, touch.clock.now()
