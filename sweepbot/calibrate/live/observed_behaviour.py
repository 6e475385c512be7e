"""How an unknown client was seen to behave."""

from dataclasses import dataclass, field

from sweepbot.behaviour import Restart
from sweepbot.desktop.mouse import Button


@dataclass(slots=True)
class DialogAnswer:
    """What takes a dialog away.

    Attributes:
        keys: Keys, pressed one after the other.
        clicks: Where its button was, as in `Restart.click`.
        lasts: Seconds for which something then stays.
    """

    keys: list[str] = field(default_factory=list)
    clicks: list[tuple[int, int]] = field(default_factory=list)
    lasts: float = 0.0

    def add(self, way: Restart) -> None:
        """Take down one more key or click."""
        if way.click is not None:
            self.clicks.append(way.click)
        elif way.key is not None:
            self.keys.append(way.key)


@dataclass(slots=True)
class ObservedBehaviour:
    """What was observed; None where it was not seen yet.

    Attributes:
        restart: What has begun new games, in the order in which it was found.
        question_marks: Whether a second right click makes a question mark.
        chord_button: What opens around a number that has its flags.
        chord_tried: Whether that was tried at all.
        flags_to_win: Whether a game was won only when every mine was flagged.
        starts_open: Whether a new board has an open region.
        closings: For `won` and `lost` what took away what then stood in front of the board.
    """

    restart: list[Restart] = field(default_factory=list)
    question_marks: bool | None = None
    chord_button: Button | None = None
    chord_tried: bool = False
    flags_to_win: bool | None = None
    starts_open: bool = False
    closings: dict[str, DialogAnswer] = field(default_factory=dict)

    def closing(self, result: str) -> DialogAnswer | None:
        """What closes the dialog after such a result: where none was seen, what closes that after the other one."""
        return self.closings.get(result) or next(iter(self.closings.values()), None)

    def close(self, result: str, closing: DialogAnswer) -> None:
        """Take down what closed a dialog: every key and every click that was needed once, and the longest time."""
        if closing == DialogAnswer():  # it was a window, which is asked to close
            return
        known = self.closings.setdefault(result, DialogAnswer())
        known.keys = max(known.keys, closing.keys, key=len)
        known.clicks += [click for click in closing.clicks if click not in known.clicks]
        known.lasts = max(known.lasts, closing.lasts)
