"""Trying out an unknown client in the middle of a game: marks, chords, a game lost on purpose, flags to win."""

from sweepbot.behaviour import Restart
from sweepbot.board import cells_in
from sweepbot.calibrate.labels.belief import Belief
from sweepbot.calibrate.labels.constraints import MINE, SAFE
from sweepbot.calibrate.labels.log import Hovered, Marked
from sweepbot.calibrate.live.board_tracker import BoardTracker
from sweepbot.calibrate.live.game import Knowns, LiveGame
from sweepbot.calibrate.live.restart_ways import CLOSES
from sweepbot.calibrate.thresholds import PACE
from sweepbot.desktop.mouse import Button
from sweepbot.geometry import Cell

_CHORD_BUTTONS: tuple[Button, ...] = ("middle", "left")


class BehaviourProbe:
    """What was tried, and what came of it; None where it was not seen yet.

    Attributes:
        question_marks: Whether a second right click makes a question mark.
        chord_button: What opens around a number that has its flags.
        flags_to_win: Whether a game was won only when every mine was flagged.
    """

    def __init__(self, tracker: BoardTracker, belief: Belief) -> None:
        self.question_marks: bool | None = None
        self.chord_button: Button | None = None
        self.flags_to_win: bool | None = None
        self._tracker = tracker
        self._belief = belief
        self._is_chord_tried = False
        self._mark_trials = 0

    @property
    def has_flags(self) -> bool:
        """Whether the client was seen to have flags."""
        return any(isinstance(entry, Marked) for entry in self._belief.log.entries)

    def hover(self) -> None:
        """See what hidden cells of both colours of a board look like under the pointer, if another than elsewhere."""
        tracker = self._tracker
        if not tracker.touch.times.hover:
            return
        hidden = cells_in(tracker.hidden)
        cells = [next((cell for cell in hidden if sum(cell) % 2 == colour), None) for colour in (0, 1)]
        shown = {tracker.hover(cell) for cell in cells if cell is not None}
        tracker.look()
        looks = tuple(sorted(shown - set(map(int, tracker.baseline.ravel()))))
        if looks:
            self._belief.add(Hovered(looks))

    def try_marks(self, game: LiveGame, mines: Knowns) -> None:
        """See what the right button makes of a hidden cell, click after click, until it looks hidden again."""
        cells = game.hidden(mines == SAFE)
        if self.question_marks is not None or self._mark_trials >= PACE.tries or not cells:
            return
        cell, tracker = cells[0], self._tracker
        self._mark_trials += 1
        if not self._right_click(cell):
            return
        self.question_marks = False
        game.confirm_pending()
        self._belief.add(Marked("flag", int(tracker.now[cell])))
        if self._right_click(cell) and not tracker.hidden[cell]:
            maybe_question = int(tracker.now[cell])
            self._right_click(cell)
            if tracker.hidden[cell]:  # else what it showed in between was no mark, but another look of a hidden cell
                self._belief.add(Marked("question", maybe_question))
                self.question_marks = True
        if not tracker.hidden[cell]:
            game.misflags.add(cell)

    def _right_click(self, cell: Cell) -> bool:
        """Whether a right click changes this cell and no other: a dialog or a menu that comes up is no mark."""
        tracker = self._tracker
        if tracker.has_changed_by_itself():
            return False
        changed = tracker.click(cell, "right")
        if changed.sum() > 1:
            if not changed.all():  # what changes everything is the end of a game, and a client may end at this key
                tracker.follow_way(Restart(key=CLOSES), tracker.place)
                tracker.look()
            return False
        return bool(changed[cell])

    def flag(self, game: LiveGame, cell: Cell) -> bool:
        """Flag a hidden cell; whether it shows a flag now."""
        if not self._tracker.hidden[cell] or not self._right_click(cell):
            return False
        game.confirm_pending()
        self._belief.add(Marked("flag", int(self._tracker.now[cell])))
        return True

    def try_chord(self, game: LiveGame, mines: Knowns) -> None:
        """Flag all mines around a number and see which button opens the rest around it."""
        if self._is_chord_tried or not self.has_flags:
            return
        for cell in cells_in(game.opened):
            around = game.around(cell)
            to_flag = [other for other in around if mines[other] == MINE]
            safe = [other for other in around if mines[other] == SAFE and self._tracker.hidden[other]]
            if not safe or not to_flag or len(safe) + len(to_flag) != len(around):
                continue
            if game.flags.intersection(around) or game.pending.keys() & set(around):
                continue
            if not all(self.flag(game, other) for other in to_flag):
                return
            game.flags.update(to_flag)
            self._is_chord_tried = True
            for button in _CHORD_BUTTONS:
                self._tracker.click(cell, button)
                if any(not self._tracker.hidden[other] for other in safe):
                    self.chord_button = button
                    game.take_all()
                    return
            return

    def prepare_loss(self, game: LiveGame, mines: Knowns) -> Cell | None:
        """Flag a cell that is no mine and one that is, where there are flags; the mine to be clicked, None for none."""
        safe, certain = game.hidden(mines == SAFE), game.hidden(mines == MINE)
        if certain and self._mark_trials >= PACE.tries and not self.has_flags:
            return certain[0]
        if not safe or len(certain) < 2 or not self.has_flags:  # noqa: PLR2004  (one to flag, one to click)
            return None
        if self.flag(game, safe[0]):
            game.misflags.add(safe[0])
        if self.flag(game, certain[0]):
            game.flags.add(certain[0])
        return certain[1]

    def finish(self, game: LiveGame) -> bool:
        """All but mines are open. Whether the game is over; where flags are needed, they are set."""
        tracker = self._tracker
        hidden = [cell for cell in game.unopened() if tracker.hidden[cell]]
        if not hidden or not self.has_flags:
            return not hidden
        for number, cell in enumerate(hidden):
            if self.flag(game, cell):
                game.flags.add(cell)
            elif number == 0:  # a game that is over takes no flags
                return True
        if len(hidden) > 1:
            self.flags_to_win = True
            game.last = tracker.scene()
        return True
