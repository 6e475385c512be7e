"""From the end of a game to the next one, in a client that is played at first sight."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from sweepbot.behaviour import Dialog, Restart
from sweepbot.board import Phase
from sweepbot.calibrate.map.boxes import Boxes
from sweepbot.calibrate.map.fronts import clear_view, is_covered
from sweepbot.calibrate.map.new_games import NewGames
from sweepbot.calibrate.map.situation import Situation
from sweepbot.calibrate.map.touch import Touch
from sweepbot.calibrate.thresholds import PACE
from sweepbot.control.controls import Controls
from sweepbot.geometry import Image
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import Reading


class BetweenGames:
    """Gets a client whose ways are unknown from the end of a game to the next, by the least harmful way."""

    _boxed: Image | None = None
    """The desktop with the box that was closed last since a click on the board."""

    _may_wait = True
    """Whether the client may wait for its button: not if that was clicked since a cell was open."""

    def __init__(
        self, controls: Controls, reader: Reader, board: Reading, tell: Callable[[str], None], *, is_attended: bool
    ) -> None:
        controls.window.remember()
        self._guard = controls.guard
        self._touch = Touch(controls, board.grid.region)
        self._situation = Situation(self._touch, reader, board)
        self._boxes = Boxes(self._situation, self._touch.desktop())
        self._new_games = NewGames(self._situation, self._boxes, tell, is_attended=is_attended)
        self._tell = tell
        self._is_first = True
        self._next_note_s = 0.0

    @property
    def restart(self) -> Sequence[Restart]:
        """The ways that have started new games."""
        return tuple(self._new_games.restart)

    @property
    def dialogs(self) -> tuple[Dialog, ...]:
        """What has closed dialogs."""
        return self._boxes.dialogs()

    @property
    def hold_ms(self) -> float:
        """How long clicks hold their button."""
        return round(1000 * self._guard.hold_s)

    def note_played(self, now: Reading) -> None:
        """Note that a game goes on with clicks, and in its middle look at the client, now and then."""
        self._boxed = None
        self._may_wait |= now.phase is Phase.PLAYING
        self._is_first &= now.phase is not Phase.PLAYING
        if now.phase is Phase.PLAYING and self._touch.clock.now() >= self._next_note_s:
            self._next_note_s = self._touch.clock.now() + PACE.between_notes_s
            self._new_games.note_played(now.grid)

    def end_by_words(self, *, by_box: bool) -> Phase | None:
        """Return how the game has ended by the words that have come up; None if they do not say.

        If `by_box`, only those of a box count that was closed since the last click.
        """
        told = None if self._boxed is None else self._new_games.end_by_words(self._boxed)
        return told if by_box or told is not None else self._new_games.end_by_words(self._touch.desktop())

    def is_box_up(self) -> bool:
        """Whether a window of the client's, or a box with a button, has come up, or was there before the first game."""
        return self._boxes.is_any_up() or (self._is_first and is_covered(self._touch, self._situation.place))

    def close(self, before: Reading) -> bool:
        """Remove what has come up since a reading of the board; return whether anything was there.

        Where nothing has, a client that has not let anybody open a cell yet may wait for its button to be clicked.
        """
        was_up, is_idle = self.is_box_up(), self._may_wait and before.phase is Phase.FRESH
        self._may_wait = False
        if self._boxes.is_any_up():
            self._boxed = self._touch.desktop()  # its words are read if nothing else tells the end
        elif self._is_first:
            clear_view(self._touch, before.grid, self._tell)
        self._is_first = False
        self._situation.compare_with(before)
        self._new_games.take_away()
        return was_up or (is_idle and self._new_games.start_first())

    def begin_anew(self, over: Reading) -> Reading:
        """Start a new game after one whose end was read; return the same with the place of the new board.

        Raises:
            StuckError: No way starts one, or one has led elsewhere.
        """
        self._is_first = False
        for _ in range(PACE.tries):
            self._situation.compare_with(over)
            if self._boxes.is_any_up():  # an end that is proven is not waited for until it can be read
                self._new_games.take_away()
            if not self._situation.has_begun_anew:
                self._new_games.start(over)
            if not self._situation.now.over:
                break
            over = self._situation.now
        if self._situation.now.unread:  # what an end has pushed down may be back in its place
            self._situation.has_moved()
        self._boxed = None
        self._boxes.note_new_game()
        self._new_games.note_played(self._situation.place)  # what an end has said may stay
        return replace(over, grid=self._situation.place)
