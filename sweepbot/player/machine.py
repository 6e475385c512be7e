"""The state machine of a game: from a state and what was seen in it to the next state.

Nothing here looks, clicks or waits, so a test or a replay can provide what was seen.
"""

from dataclasses import dataclass, replace

from sweepbot.behaviour import Behaviour
from sweepbot.board import Board, Phase, State
from sweepbot.errors import StoppedByUserError, StuckError, UntrustedReadingError
from sweepbot.outcome import Outcome, SeenAfter, Verdict, outcome
from sweepbot.plan import Style, as_promised, clicks_for
from sweepbot.player.causes import unfinished_opening, unseen_guesses
from sweepbot.player.judging import (
    all_opened,
    changed_cells,
    complete_won_board,
    is_another,
    is_hidden,
    is_other_game,
    is_played_out,
    is_whole,
    is_won_played_out,
    judge_stuck,
    likely_ending,
    likely_mines,
    relit_cells,
)
from sweepbot.player.round import Round
from sweepbot.player.states import (
    COVERED_S,
    PATIENCE_S,
    Acting,
    Answer,
    AnyPosition,
    AnyState,
    Beginning,
    CellsAtRest,
    ChangedBoard,
    ClicksMade,
    Closing,
    Covered,
    Deciding,
    Doubt,
    Effect,
    FollowingUp,
    HandingOver,
    Judged,
    Judging,
    NewGame,
    Observation,
    Obstructed,
    Over,
    Position,
    Progress,
    Purpose,
    Recovering,
    Requesting,
    Result,
    Seeking,
    Stopped,
    Unreadable,
    Watching,
    mines_hint,
)
from sweepbot.solver.unknown_total import may_be_over
from sweepbot.vision.reading import Reading

REACTION_S = (0.0, 1.0, 3.0, 6.0)
"""Seconds that the client is given to react, attempt by attempt, as some freeze for a while."""

ATTEMPTS = len(REACTION_S)
"""How many rounds of clicks may change nothing before the client counts as stuck."""

STANDS_STILL_S = 50.0
"""Seconds for which a stuck client is then watched without a click, as it may only be frozen; with the attempts, a
minute in all."""

_BY_HAND = {
    Verdict.BEGUN_ANEW: "stopped: another game was started by hand while this one was in progress",
    Verdict.ENDED_BY_HAND: "stopped: a mine was hit by hand while this game was in progress",
}
_NOT_BY_HAND = {
    Verdict.BEGUN_ANEW: "was it begun by hand? else its open cells have looks that first sight does not know",
    Verdict.ENDED_BY_HAND: "was it hit by hand? else this client opens other cells than the one that is clicked",
}
"""What it may be as well in a client that is read at first sight."""
_PAUSED_HINT = "is the client paused, or a menu of its own open? let it go on, and start again to continue the game"
_MAX_CLOSED = 4  # times that dialogs are closed before what covers the board no longer counts as one
_DIALOG_PATIENCE_S = 0.4  # for which a board must be unreadable before a dialog is assumed to cover it


@dataclass(frozen=True, slots=True)
class Machine:
    """The transition function, given what is known about the client and the user's settings.

    Attributes:
        behaviour: How the client behaves.
        style: The style of play.
        stop_at_guess: Whether to leave a game to the person if no cell is certain.
        is_loss_known: Whether it is known what a mine that was hit looks like.
        is_window_known: Whether there is information on the client's window.
        seeks: Whether the ways to a new game are unknown and are sought.
    """

    behaviour: Behaviour
    style: Style
    stop_at_guess: bool
    is_loss_known: bool
    is_window_known: bool
    seeks: bool = False

    @property
    def may_ask(self) -> bool:
        """Whether dialogs that can be seen and closed may come up."""
        return self.is_window_known or bool(self.behaviour.dialogs)

    def start(self, place: Reading) -> AnyState:
        """Return the first state of a game on a board that was read before."""
        return self._watch(AnyPosition(), place)

    def step(self, state: AnyState, seen: Observation, *, is_first_game: bool = False) -> AnyState:  # noqa: C901, PLR0911, PLR0912  (one case per state)
        """Return the next state, given what was seen, or done, in a state.

        Before the first game is over, what covers the board may have been there before it.
        """
        match state, seen:
            case Watching(), Position():
                return self._after_position(state, seen)
            case Watching(Result() as result), CellsAtRest(known):
                return FollowingUp(replace(result, round=replace(result.round, known=known.board)), state, known)
            case Watching(), Obstructed(place):
                return Covered(replace(state, place=place))
            case Watching(), Unreadable():
                return self._unreadable(state, seen, is_first_game=is_first_game)
            case Covered(watching), Reading():
                return replace(watching, place=seen, is_resumed=True)
            case Recovering(watching), Position():
                return self._after_position(watching, seen)
            case Recovering(watching), Reading():
                return replace(
                    watching, place=seen, patience_s=PATIENCE_S, reaction_s=0.0, is_last=True, is_resumed=True
                )
            case Recovering(watching, unread), None:
                return self._after_giving_up(watching, unread)
            case Closing(then=then), bool():
                return _after_dialog(then) if seen else then
            case FollowingUp(result, watching), ClicksMade(clicks):
                round_ = result.round.with_clicks(clicks)
                added = round_.opened[len(result.round.opened) :]
                return replace(watching, purpose=replace(result, round=round_), added=added, is_resumed=False)
            case Beginning(), Position():
                return Deciding(seen, Progress())
            case Beginning(), Doubt():
                return Stopped(seen)
            case Deciding(game=game), Position():
                return self._after_decision(seen, game)
            case Acting(), ClicksMade():
                return self._after_clicks(state, seen)
            case Judging(), Judged():
                return self._after_verdict(state, seen)
            case Requesting(over=over), bool():
                # If the request failed because the client has moved, its window is followed.
                reaction_s = REACTION_S[state.attempt] if seen else 0.0
                return self._watch(NewGame(state), over, reaction_s)
            case Seeking(asked), Reading():
                return self._watch(NewGame(replace(asked, is_found=True)), seen)
        raise AssertionError(f"nothing follows {type(state).__name__} upon {type(seen).__name__}")

    def judge(self, state: Judging) -> Outcome:
        """Return the verdict on what has become of a board."""
        effect, watching, now = state.effect, state.watching, state.seen.reading
        is_trusted = isinstance(state.seen, Position)
        had_dialog = watching.had_dialog or isinstance(effect, Answer)  # only an answer can have started another game
        verdict = self._outcome(effect, now, is_trusted=is_trusted, had_dialog=had_dialog)
        is_next = verdict.verdict in (Verdict.BEGUN_ANEW, Verdict.UNCLEAR) or now.phase is Phase.FRESH
        if is_trusted and is_next and watching.beside is not None:  # closing a dialog may have led to the next game
            beside = self._outcome(effect, watching.beside, is_trusted=False, had_dialog=had_dialog)
            return beside if beside.is_final else verdict
        return verdict

    def _outcome(self, effect: Effect, now: Reading, *, is_trusted: bool, had_dialog: bool) -> Outcome:
        flags_to_win = bool(self.behaviour.flags_to_win)
        changed = changed_cells(effect.before.reading, now)
        seen = SeenAfter(
            now.board,
            now.phase,
            is_trusted,
            had_dialog,
            self.is_loss_known,
            flags_to_win,
            changed,
            likely_mines(now),
            relit_cells(effect.before.reading, now),
            is_total_known=not self.seeks,
        )
        before, clicked = effect.before.reading.board, effect.clicked
        if self.seeks and effect.round is not None and not is_another(now.board, before):
            clicked = effect.round.seeing(now.board).clicked()
        verdict = outcome(before, clicked, seen)
        guessed = [now.board[cell] for cell in effect.game.unread if self.seeks]
        if State.MINE in guessed or State.EXPLODED in guessed:  # it could not be read at once, and play went on
            return Outcome(Verdict.LOST, "a cell that was guessed before shows a mine")
        if State.UNKNOWN in guessed and verdict.verdict is Verdict.WON:  # a client may let play go on after a mine
            return Outcome(Verdict.UNCLEAR, "a cell that was guessed cannot be read: a number, or a mine")
        return verdict

    def _watch(self, purpose: Purpose, place: Reading, reaction_s: float = 0.0) -> Watching:
        """Begin to watch, with little patience where an unreadable board may be covered by a dialog."""
        return Watching(purpose, place, _DIALOG_PATIENCE_S if self.may_ask else PATIENCE_S, reaction_s)

    def _after_position(self, watching: Watching, position: Position) -> AnyState:
        """Return the state that follows a trusted position."""
        purpose, reading = watching.purpose, position.reading
        match purpose:
            case AnyPosition():
                is_same = watching.place.over and not is_other_game(reading, watching.place)
                best = None if position.decision is None else position.decision.best
                is_over = position.decision is None or is_same or is_played_out(position)
                if is_over or (best is None and all_opened(reading, ()) is not None):
                    over = replace(watching.place, grid=reading.grid) if is_same else reading  # else a person's game
                    return self._restart(Requesting(over))
                return Beginning(position)
            case NewGame(asked=asked):
                if position.decision is not None and (asked.is_found or is_other_game(reading, asked.over)):
                    return Beginning(position)
                return self._next_way(replace(asked, over=replace(asked.over, grid=reading.grid)))
            case Answer() | Result() | ChangedBoard():
                return Judging(purpose, watching, position)

    def _unreadable(self, watching: Watching, unread: Unreadable, *, is_first_game: bool) -> AnyState:
        """Return what to try if the board cannot be trusted: dialogs first, then patience, then everything else."""
        purpose = watching.purpose
        if watching.is_last or (isinstance(purpose, NewGame) and self._has_step(purpose.asked)):
            return self._after_giving_up(watching, unread)
        clicked = purpose.clicked if isinstance(purpose, Result | ChangedBoard) and purpose.round is not None else None
        is_told = self.is_window_known or (self.seeks and unread.is_dialog_up)
        ending = likely_ending(unread, watching.place, clicked, is_first_game=is_first_game, is_window_known=is_told)
        if ending is not None and watching.closed < _MAX_CLOSED and unread.may_be_dialog:
            then = replace(watching, closed=watching.closed + 1, beside=unread.doubt.reading, is_resumed=True)
            return Closing(ending, watching.place, then)
        if self._is_conclusive(watching, unread):
            return self._after_giving_up(watching, unread)
        if watching.patience_s < PATIENCE_S:
            # A dialog that no key closes may stay in front of the board for as long as when it was learned.
            lasts_ms = max((it.lasts_ms for it in self.behaviour.dialogs if it.after == ending), default=0.0)
            return replace(watching, patience_s=PATIENCE_S + lasts_ms / 1000, is_resumed=True)
        return Recovering(watching, unread)

    def _is_conclusive(self, watching: Watching, unread: Unreadable) -> bool:
        """Whether an untrusted reading still answers the question; for a won game, whether the whole board follows."""
        match watching.purpose:
            case AnyPosition():
                return watching.place.over
            case Result() as result:
                now, had_dialog = unread.doubt.reading, watching.had_dialog or unread.is_dialog_up
                verdict = self._outcome(result, now, is_trusted=False, had_dialog=had_dialog)
                if verdict.verdict is Verdict.WON:
                    board, clicked = result.before.reading.board, result.clicked.cells
                    return complete_won_board(board, clicked, now.board) is not None
                return verdict.is_final
        return False

    def _after_giving_up(self, watching: Watching, unread: Unreadable) -> AnyState:
        """Return the state that follows if the board cannot be trusted and nothing more is tried."""
        purpose, place = watching.purpose, watching.place
        match purpose:
            case AnyPosition() if place.over:
                # Before any click, which would take the keyboard from a dialog.
                return Closing(place.phase.value, place, self._restart(Requesting(place)))
            case AnyPosition():
                return Beginning(unread.doubt)
            case NewGame(asked=asked):
                return self._next_way(replace(asked, in_front=unread.doubt))
            case Result() | ChangedBoard() | Answer():
                had_dialog = watching.had_dialog or unread.is_dialog_up
                return Judging(purpose, replace(watching, had_dialog=had_dialog), unread.doubt)

    def _restart(self, asked: Requesting) -> AnyState:
        """Request a new game in this way, or if it does not exist, close dialogs and try all ways once more."""
        if asked.way < len(self.behaviour.restart):
            return asked
        if self.seeks and asked.way < ATTEMPTS:
            return Seeking(asked)
        # A dialog beside the board lets no click through until it is answered.
        if asked.attempt < ATTEMPTS - 1 and self.behaviour.restart:
            then: AnyState = replace(asked, attempt=asked.attempt + 1, way=0, step=0)
        elif asked.attempt == ATTEMPTS - 1:
            then = self._watch(NewGame(replace(asked, attempt=ATTEMPTS)), asked.over, STANDS_STILL_S)
        else:
            then = Stopped(
                asked.in_front
                or StuckError(
                    f"no new game has started after {ATTEMPTS} attempts",
                    hint="start one by hand, or correct `restart` in the calibration",
                )
            )
        return Closing(asked.over.phase.value, asked.over, then)

    def _next_way(self, asked: Requesting) -> AnyState:
        """Return the next step of a way that has started no game yet, or else the next way."""
        if self._has_step(asked):
            return replace(asked, step=asked.step + 1)
        return self._restart(replace(asked, way=asked.way + 1, step=0))

    def _has_step(self, asked: Requesting) -> bool:
        """Whether the way that was taken last has another step."""
        ways = self.behaviour.restart[asked.way : asked.way + 1]
        return any(asked.step + 1 < len(way.steps) for way in ways)

    def _after_decision(self, position: Position, game: Progress) -> AnyState:
        """Return the state that follows a decision: clicks, the end of the game, or leaving it to the person."""
        reading, decision = position.reading, position.decision
        if decision is None:
            ending = Verdict.WON if reading.phase is Phase.WON else Verdict.LOST
            return Over(position, ending, is_whole(reading))
        if is_won_played_out(position, flags_to_win=bool(self.behaviour.flags_to_win)):
            return Over(position, Verdict.WON, is_seen=True)
        mines = () if set(decision.mines) & set(game.unread) else decision.mines  # a guess may have hit one
        end = None if decision.best or self.behaviour.flags_to_win else all_opened(reading, game.opened, mines)
        if end is not None:
            return Over(replace(position, reading=end), Verdict.WON, is_seen=True)
        if self.stop_at_guess and decision.guess is not None and reading.phase is Phase.PLAYING:
            return HandingOver(position, decision.guess)
        if self.seeks and not decision.safe and (why := unseen_guesses(reading, game.unread)):
            return Stopped(StuckError(f"what {game.unread[-1]} shows cannot be read", hint=why))
        decision = as_promised(decision, reading.board, reading.phase, self.behaviour)
        clicks = clicks_for(reading.board, decision, self.style, flags_to_win=bool(self.behaviour.flags_to_win))
        opens = [cell for click in clicks for cell in click.opens]
        if self.seeks and len(clicks) > 1 and may_be_over(reading.board, opens):
            clicks = clicks[:1]  # a click too many may begin the next game
        return Acting(position, decision, tuple(clicks), game)

    def _after_clicks(self, state: Acting, made: ClicksMade) -> AnyState:
        """Return the state that follows once clicks were made, or the board turned out to be stale."""
        position, game = state.position, state.game
        if made.is_stale:  # a person has played or started another game, or clicks that were given up show after all
            return self._watch(ChangedBoard(position, game.unnoticed, replace(game, unnoticed=None)), position.reading)
        if not state.clicks:
            return Stopped(
                StuckError(
                    "no cell is left to click, but the client does not end the game",
                    hint=_nothing_left_hint(position.reading.board),
                )
            )
        board = position.reading.board
        round_ = Round(board, state.decision, board).with_clicks(made.clicks)
        return self._watch(Result(position, round_, game), position.reading, REACTION_S[game.unchanged])

    def _after_verdict(self, state: Judging, seen: Judged) -> AnyState:  # noqa: PLR0911  (one case per verdict)
        """Return the state that follows a verdict."""
        effect, verdict, position = state.effect, seen.outcome, seen.seen
        if verdict.verdict in _BY_HAND:
            if self.seeks:
                return Stopped(StuckError(verdict.why, hint=_NOT_BY_HAND[verdict.verdict]))
            return Stopped(StoppedByUserError(_BY_HAND[verdict.verdict]))
        if isinstance(position, Doubt):
            return self._after_doubt(state.watching, position)
        game = effect.game
        if not isinstance(effect, Answer):
            game = _game_after(effect, verdict, position)
            is_silent = game.unchanged == ATTEMPTS // 2 and verdict.verdict is Verdict.PLAYING
            if is_silent and (self.may_ask or self.seeks):
                return self._answer_dialogs(Answer(position, effect.round, game), state.watching)
        match verdict.verdict:
            case Verdict.WON | Verdict.LOST:
                return Over(position, verdict.verdict, is_whole(position.reading))
            case Verdict.UNCLEAR:
                return Stopped(UntrustedReadingError(f"the end of the game was not seen: {verdict.why}"))
            case Verdict.PLAYING if game.unchanged < ATTEMPTS:
                return Deciding(position, game)
        return self._after_no_effect(state, position, game)

    def _after_no_effect(self, state: Judging, position: Position, game: Progress) -> AnyState:
        """Return the state that follows if no click has had an effect any more."""
        effect = state.effect
        is_loss_known = self.is_loss_known and not self.seeks  # at first sight, a mine that was hit may be unread
        ending = judge_stuck(position.reading.board, game, ATTEMPTS, is_loss_known=is_loss_known)
        if isinstance(ending, Verdict):
            return Over(position, ending, is_seen=True)
        opened = effect.round.opened if self.seeks and effect.round is not None else ()
        if hint := next(filter(None, (unfinished_opening(position.reading, cell) for cell in opened)), ""):
            return Stopped(StuckError(str(ending), hint=hint))
        guess = None if effect.round is None else effect.round.guess
        if self.seeks and game.has_changed and guess is not None:
            return Stopped(StuckError(str(ending), hint=f"is {guess.cell} a mine, and does this client show none?"))
        if game.unchanged == ATTEMPTS and not self.seeks:
            return replace(
                state.watching, purpose=replace(effect, game=game), reaction_s=STANDS_STILL_S, is_resumed=True
            )
        return Stopped(ending)

    def _after_doubt(self, watching: Watching, doubt: Doubt) -> AnyState:
        """Wait for a client that hides its board itself as for one behind another window; or else give up.

        At first sight it is likelier that its open cells cannot be read.
        """
        reading = doubt.reading
        if self.seeks or not self.is_window_known or not is_hidden(reading.board, watching.place.board):
            return Stopped(doubt)
        if watching.is_hidden:
            return Stopped(Doubt(doubt.frame, reading, doubt.reason, _PAUSED_HINT))
        return replace(watching, patience_s=COVERED_S, is_hidden=True, is_last=True, is_resumed=True)

    def _answer_dialogs(self, answer: Answer, watching: Watching) -> AnyState:
        """Close any dialog beside the board that lets no click through; that may start a new game at once."""
        board = answer.before.reading
        then = replace(self._watch(answer, board), had_dialog=watching.had_dialog, beside=watching.beside)
        return Closing(Phase.WON.value, board, Closing(Phase.LOST.value, board, then))


def _game_after(effect: Effect, outcome: Outcome, position: Position) -> Progress:
    """Return the game after one more round: whether that has changed anything, and whether some clicks do not show."""
    game, now = effect.game, position.reading.board
    if isinstance(effect, Result):
        missed = outcome.verdict is Verdict.PLAYING and effect.round.missed(now)
        game = replace(game, unnoticed=replace(effect.round, known=now) if missed else None)
    if now == effect.before.reading.board:
        return replace(game, unchanged=game.unchanged + 1)
    guess = None if effect.round is None else effect.round.guess
    if guess is not None and now[guess.cell] == State.UNKNOWN:
        game = replace(game, unread=(*game.unread, guess.cell))
    certain = () if effect.round is None or not effect.round.certain else effect.round.opened
    was_open = effect.before.reading.board.where(*range(State.HIDDEN))
    opened = (cell for cell in (*certain, *was_open) if now[cell] == State.UNKNOWN)
    game = replace(game, opened=game.opened.union(opened))
    return replace(game, unchanged=0, has_changed=True, guessed=None if guess is None else guess.cell)


def _after_dialog(state: AnyState) -> AnyState:
    """Return a state with the note that a dialog was seen and closed."""
    if isinstance(state, Watching):
        return replace(state, had_dialog=True)
    return replace(state, then=_after_dialog(state.then)) if isinstance(state, Closing) else state


def _nothing_left_hint(board: Board) -> str:
    unread = board.count(State.UNKNOWN)
    if unread:
        return f"{unread} cells cannot be read: is something in front of them?"
    return "" if board.mines is None else mines_hint(board.mines)
