"""How a game goes on: one function, from a state and what was seen in it to the next state.

Nothing here looks, clicks or waits: a test, or a replay, feeds it what was seen.
"""

from dataclasses import dataclass, replace

from sweepbot.behaviour import Behaviour
from sweepbot.board import Board, Phase, State
from sweepbot.errors import StoppedByUserError, StuckError, UntrustedReadingError
from sweepbot.outcome import Outcome, Verdict
from sweepbot.outcome import Seen as SeenAfter
from sweepbot.plan import Style, against_promise, clicks_for, with_first_click
from sweepbot.player.judging import (
    end_of_stuck,
    is_another,
    is_played_out,
    is_whole,
    judged,
    likely_ending,
    tells_end,
)
from sweepbot.player.position import PATIENCE_S, DoubtError, Hindered, News, Position, played_as
from sweepbot.player.round import Round
from sweepbot.player.states import (
    Acting,
    Aim,
    AnyState,
    Beginning,
    Closing,
    Covered,
    Deciding,
    Dialog,
    Doubting,
    Extending,
    Game,
    HandedOver,
    Judged,
    Judging,
    Looking,
    Made,
    Mending,
    Over,
    Parting,
    Placed,
    Purpose,
    Restarting,
    Seen,
    Stopped,
)
from sweepbot.player.statistics import end_of_won
from sweepbot.vision.reader import Reading

REACTION_S = (0.0, 1.0, 3.0, 6.0)
"""Seconds that the client is given to react, attempt by attempt: some stand still for a while."""

ATTEMPTS = len(REACTION_S)
"""How many rounds of clicks may change nothing before the client counts as stuck."""

STANDS_STILL_S = 50.0
"""Seconds for which it is then looked at without a click: a program that stands still may go on. With the attempts that
makes a minute."""

_BEGUN_BY_HAND = "stopped: another game was begun by hand while this one was going on"
_MOST_CLOSED = 4  # times that dialogs are closed before what covers the board is no longer taken for one
_DIALOG_PATIENCE_S = 0.4  # for which a board must be unreadable before a dialog is thought to cover it


@dataclass(frozen=True, slots=True)
class Machine:
    """The transition function of a run, with what is known of the client and what was asked for.

    Attributes:
        behaviour: What the client does.
        style: How it is played.
        stop_at_guess: Whether a game is left to the person where nothing is certain.
        is_loss_known: Whether it is known what a mine looks like that was hit.
        is_window_known: Whether the system tells of the client's window.
    """

    behaviour: Behaviour
    style: Style
    stop_at_guess: bool
    is_loss_known: bool
    is_window_known: bool

    @property
    def may_ask(self) -> bool:
        """Whether dialogs may come up that can be seen and closed."""
        return self.is_window_known or bool(self.behaviour.dialogs)

    @property
    def patience_s(self) -> float:
        """Seconds for which a board that cannot be read is looked at before a dialog is thought of."""
        return _DIALOG_PATIENCE_S if self.may_ask else PATIENCE_S

    def lasting_s(self, after: str | None) -> float:
        """Seconds for which something that no key closes stays in front of the board after such an ending."""
        known = (dialog.lasts_ms for dialog in self.behaviour.dialogs if dialog.after == after)
        return max(known, default=0.0) / 1000

    def start(self, place: Reading) -> AnyState:
        """The first state of a game on a board that was read before."""
        return Looking(self._aim(Purpose.START, place))

    def step(self, state: AnyState, seen: Seen, *, is_first_game: bool = False) -> AnyState:  # noqa: C901, PLR0911, PLR0912  (a case a state)
        """Return the state that follows, given what was seen.

        Args:
            state: The state.
            seen: What was seen, or done, in it.
            is_first_game: Whether what covers the board may be there from before the first game.
        """
        match state, seen:
            case ((Looking() | Mending() | Parting()), Position()):
                return self._settled(state.aim, seen)
            case Looking(aim=aim), News(reading=known):
                assert aim.round is not None  # noqa: S101  (clicks are on their way)
                return Extending(replace(aim, round=replace(aim.round, known=known.board)), known)
            case Looking(aim=aim), Hindered(place=place):
                return Covered(replace(aim, place=place, burst=None))
            case Looking(aim=aim), DoubtError():
                return Doubting(aim, seen)
            case Covered(aim=aim), Placed(place=place):
                return Looking(replace(aim, place=place), was_hindered=True)
            case Mending(aim=aim), Placed(place=place):
                aim = replace(aim, place=place, patience_s=PATIENCE_S, reaction_s=0.0, burst=None, is_last=True)
                return Looking(aim)
            case Mending(aim=aim, doubt=doubt), None:
                return self._given_up(aim, doubt, is_dialog_up=state.is_dialog_up)
            case Parting(doubt=doubt), None:
                return Stopped(doubt)
            case Doubting(), Dialog():
                return self._doubted(state, seen, is_first_game=is_first_game)
            case Closing(then=then), bool():
                return _after_dialog(then) if seen else then
            case Extending(aim=aim), Made(clicks=clicks):
                assert aim.round is not None  # noqa: S101
                round_ = aim.round.clicking(clicks)
                return Looking(replace(aim, round=round_), added=round_.opened[len(aim.round.opened) :])
            case Beginning(), Position():
                return Deciding(seen, Game())
            case Deciding(game=game), Position():
                return self._decided(seen, game)
            case Acting(), Made():
                return self._acted(state, seen)
            case Judging(), Judged():
                return self._judged(state, seen)
            case Restarting(over=over), bool():
                # Where it was not asked, as the client has moved, looking follows that.
                reaction_s = REACTION_S[state.attempt] if seen else 0.0
                return Looking(replace(self._aim(Purpose.NEW_GAME, over), asked=state, reaction_s=reaction_s))
        raise AssertionError(f"nothing follows {type(state).__name__} upon {type(seen).__name__}")

    def judge(self, state: Judging) -> Outcome:
        """The verdict on what came of some clicks."""
        aim, seen = state.aim, state.seen
        assert aim.before is not None  # noqa: S101  (something was clicked, or to be)
        is_trusted = isinstance(seen, Position)
        had_dialog = aim.had_dialog or (not is_trusted and state.is_dialog_up)
        now = self._seen(seen.reading, is_trusted=is_trusted, had_dialog=had_dialog)
        beside = None
        if aim.beside is not None:
            beside = self._seen(aim.beside, is_trusted=False, had_dialog=had_dialog)
        return judged(aim.before.reading.board, aim.clicked, now, beside)

    def _seen(self, now: Reading, *, is_trusted: bool, had_dialog: bool) -> SeenAfter:
        flags_to_win = bool(self.behaviour.flags_to_win)
        return SeenAfter(now.board, now.phase, is_trusted, had_dialog, self.is_loss_known, flags_to_win)

    def _aim(self, purpose: Purpose, place: Reading) -> Aim:
        return Aim(purpose, place, self.patience_s)

    def _settled(self, aim: Aim, position: Position) -> AnyState:
        """Return the state that follows a position that can be relied on."""
        reading = position.reading
        match aim.purpose:
            case Purpose.START:
                is_same = aim.place.over and not is_another(reading.board, aim.place.board)
                if position.decision is None or is_same or is_played_out(position):
                    return self._restarted(Restarting(reading))  # a person's game, not the bot's
                return Beginning(position)
            case Purpose.NEW_GAME:
                assert aim.asked is not None  # noqa: S101  (a new game was)
                if position.decision is not None and is_another(reading.board, aim.asked.over.board):
                    return Beginning(position)
                return self._next_way(replace(aim.asked, over=replace(aim.asked.over, grid=reading.grid)))
            case Purpose.ANSWER:  # only the answer to the dialog can have begun another game
                return Judging(replace(aim, had_dialog=True), position)
            case Purpose.ROUND | Purpose.CHANGE:
                return Judging(aim, position)

    def _doubted(self, state: Doubting, dialog: Dialog, *, is_first_game: bool) -> AnyState:
        """Return what to try if the board cannot be relied on: dialogs first, then patience, then everything else."""
        aim, doubt = state.aim, state.doubt
        if aim.is_last:
            return self._given_up(aim, doubt, is_dialog_up=dialog.is_up)
        aim = replace(aim, passed=(*aim.passed, *doubt.passed))
        ending = likely_ending(
            doubt.reading,
            aim.place,
            aim.clicked if aim.round is not None and aim.purpose is not Purpose.ANSWER else None,
            may_be_left_over=is_first_game,
            is_window_known=self.is_window_known,
            is_dialog_up=dialog.is_up,
        )
        if ending is not None and aim.closed < _MOST_CLOSED and dialog.may_be_up:
            return Closing(ending, aim.place, Looking(replace(aim, closed=aim.closed + 1, beside=doubt.reading)))
        if self._tells_enough(aim, doubt.reading, is_dialog_up=dialog.is_up):
            return self._given_up(aim, doubt, is_dialog_up=dialog.is_up)
        if aim.patience_s < PATIENCE_S:
            return Looking(replace(aim, patience_s=PATIENCE_S + self.lasting_s(ending)))
        return Mending(aim, doubt, dialog.is_up)

    def _tells_enough(self, aim: Aim, now: Reading, *, is_dialog_up: bool) -> bool:
        """Whether a reading that cannot be relied on tells all that is asked."""
        if aim.purpose is Purpose.START:
            return aim.place.over
        if aim.purpose is not Purpose.ROUND or aim.before is None:
            return False
        seen = self._seen(now, is_trusted=False, had_dialog=aim.had_dialog or is_dialog_up)
        return tells_end(aim.before.reading.board, aim.clicked, seen)

    def _given_up(self, aim: Aim, doubt: DoubtError, *, is_dialog_up: bool) -> AnyState:
        """What follows where the board cannot be relied on, and nothing more is tried."""
        match aim.purpose:
            case Purpose.START if aim.place.over:
                # A click first would take the keyboard from a dialog.
                return Closing(aim.place.phase.value, aim.place, self._restarted(Restarting(aim.place)))
            case Purpose.START:
                return Parting(aim, doubt)
            case Purpose.CHANGE if aim.round is None:
                return Parting(aim, doubt)
            case Purpose.NEW_GAME:
                assert aim.asked is not None  # noqa: S101
                return self._next_way(replace(aim.asked, in_front=doubt))
            case Purpose.ROUND | Purpose.CHANGE | Purpose.ANSWER:
                return Judging(aim, doubt, is_dialog_up)

    def _restarted(self, asked: Restarting) -> AnyState:
        """A new game is asked for, in a way that there is."""
        if asked.way < len(self.behaviour.restart):
            return asked
        # A dialog beside the board lets no click through until it is answered.
        if asked.attempt < ATTEMPTS - 1 and self.behaviour.restart:
            then: AnyState = replace(asked, attempt=asked.attempt + 1, way=0)
        elif asked.attempt == ATTEMPTS - 1:
            aim = self._aim(Purpose.NEW_GAME, asked.over)
            then = Looking(replace(aim, asked=replace(asked, attempt=ATTEMPTS), reaction_s=STANDS_STILL_S))
        else:
            then = Stopped(
                asked.in_front
                or StuckError(
                    f"no new game has begun after {ATTEMPTS} attempts",
                    hint="begin one by hand, or mend `restart` in the calibration",
                )
            )
        return Closing(asked.over.phase.value, asked.over, then)

    def _next_way(self, asked: Restarting) -> AnyState:
        return self._restarted(replace(asked, way=asked.way + 1))

    def _decided(self, position: Position, game: Game) -> AnyState:
        """What is clicked in a position, if anything is left to be."""
        reading, decision = position.reading, position.decision
        if decision is None:
            ending = Verdict.WON if reading.phase is Phase.WON else Verdict.LOST
            return Over(position, ending, is_whole(reading))
        if is_played_out(position):
            return Over(position, Verdict.WON, is_seen=True)
        is_guess = decision.best is not None and not decision.safe
        if self.stop_at_guess and decision.best and is_guess and reading.phase is Phase.PLAYING:
            return HandedOver(position, decision.best)
        behaviour = self.behaviour
        if reading.phase is Phase.FRESH:
            decision = with_first_click(decision, reading.board, behaviour.first_click)
        elif behaviour.no_guess and is_guess:
            decision = against_promise(decision)
        clicks = clicks_for(
            reading.board,
            decision,
            self.style,
            flags_to_win=bool(behaviour.flags_to_win),
        )
        return Acting(position, decision, tuple(clicks), game)

    def _acted(self, state: Acting, made: Made) -> AnyState:
        """What is looked for once clicks were made, or the board proved stale."""
        position, game = state.position, state.game
        if made.is_stale:  # a person has played or begun another game, or clicks that were given up show after all
            aim = replace(self._aim(Purpose.CHANGE, position.reading), before=position, round=game.unnoticed)
            return Looking(replace(aim, game=replace(game, unnoticed=None)))
        if not state.clicks:
            return Stopped(
                StuckError(
                    "nothing is left to click, yet the client does not end the game",
                    hint=_why_nothing_is_left(position.reading.board),
                )
            )
        round_ = Round.after(state.decision, position.reading.board).clicking(made.clicks)
        aim = replace(
            self._aim(Purpose.ROUND, position.reading),
            before=position,
            round=round_,
            reaction_s=REACTION_S[game.unchanged],
            burst=made.burst,
            game=game,
        )
        return Looking(aim)

    def _judged(self, state: Judging, seen: Judged) -> AnyState:  # noqa: PLR0911  (a case a verdict)
        """How the game goes on after a verdict."""
        aim, verdict, position = state.aim, seen.outcome, seen.position
        if position is None:
            assert isinstance(state.seen, DoubtError)  # noqa: S101  (a position is there to go on with)
            return Stopped(state.seen)
        game = aim.game
        if aim.purpose is not Purpose.ANSWER:
            game = _counted(game, aim, verdict, position)
            is_silent = game.unchanged == ATTEMPTS // 2 and verdict.verdict is Verdict.PLAYING
            if is_silent and self.may_ask:
                return self._answered(aim, game, position)
        match verdict.verdict:
            case Verdict.WON | Verdict.LOST:
                return Over(position, verdict.verdict, is_whole(position.reading))
            case Verdict.BEGUN_ANEW:
                return Stopped(StoppedByUserError(_BEGUN_BY_HAND))
            case Verdict.UNCLEAR:
                return Stopped(UntrustedReadingError(f"how the game has ended was not seen: {verdict.why}"))
            case Verdict.PLAYING if game.unchanged < ATTEMPTS:
                return Deciding(position, game)
        ending = end_of_stuck(
            position.reading.board,
            game.guessed,
            ATTEMPTS,
            has_changed=game.has_changed,
            is_loss_known=self.is_loss_known,
        )
        if isinstance(ending, Verdict):
            return Over(position, ending, is_seen=True)
        if game.unchanged == ATTEMPTS:
            return Looking(replace(aim, game=game, reaction_s=STANDS_STILL_S, burst=None))
        return Stopped(ending)

    def _answered(self, aim: Aim, game: Game, position: Position) -> AnyState:
        """Close what may stand beside the board and let no click through; that may begin a new game at once."""
        before = aim.before
        assert before is not None  # noqa: S101
        assert before.decision is not None  # noqa: S101
        decision = before.decision
        opened = decision.safe or ((decision.best.cell,) if decision.best else ())
        look = replace(
            self._aim(Purpose.ANSWER, position.reading),
            before=position,
            round=replace(Round.after(decision, position.reading.board), opened=tuple(opened)),
            had_dialog=aim.had_dialog,
            beside=aim.beside,
            game=game,
        )
        lost = Closing(Phase.LOST.value, position.reading, Looking(look))
        return Closing(Phase.WON.value, position.reading, lost)


def position_after(aim: Aim, doubt: DoubtError, outcome: Outcome) -> Position:
    """The last position of a game whose end is told by a board that cannot be relied on."""
    assert aim.before is not None  # noqa: S101
    end = end_of_won(aim.before.reading.board, aim.clicked.cells, doubt.reading.board)
    if outcome.verdict is Verdict.WON and end is not None:
        return replace(aim.before, reading=replace(doubt.reading, board=end, phase=Phase.WON))
    return aim.before


def _counted(game: Game, aim: Aim, outcome: Outcome, position: Position) -> Game:
    """The game with one more round: whether that has changed anything, and whether some of its clicks do not show."""
    assert aim.before is not None  # noqa: S101  (something was clicked)
    if aim.purpose is Purpose.ROUND and aim.round is not None:
        missed = outcome.verdict is Verdict.PLAYING and aim.round.missed(position.reading.board)
        known = replace(aim.round, known=position.reading.board)
        game = replace(game, unnoticed=known if missed else None)
    if position.reading.board == aim.before.reading.board:
        return replace(game, unchanged=game.unchanged + 1)
    decision = aim.before.decision
    is_guess = decision and decision.best and not decision.safe and aim.round and aim.round.opened
    guessed = decision.best.cell if is_guess and decision and decision.best else None
    return replace(game, unchanged=0, has_changed=True, guessed=guessed)


def _after_dialog(state: AnyState) -> AnyState:
    """The same state, after a dialog that was seen has been closed."""
    if isinstance(state, Looking):
        return replace(state, aim=replace(state.aim, had_dialog=True))
    return replace(state, then=_after_dialog(state.then)) if isinstance(state, Closing) else state


def _why_nothing_is_left(board: Board) -> str:
    unread = board.count(State.UNKNOWN)
    if unread:
        return f"{unread} cells cannot be read: is something in front of them?"
    return "" if board.mines is None else played_as(board.mines)
