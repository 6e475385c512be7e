"""The games in fixtures/demo: `python -m tools.recording.demo_fixtures` draws them again."""

import random
from collections.abc import Callable, Iterable

from sweepbot.board import Board, State
from sweepbot.demo.client import Client
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.desktop.mouse import Button
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level
from sweepbot.render.files import save_image
from tools.places import FIXTURES

FOLDER = FIXTURES / "demo"


class Scene:
    """A game played with knowledge of the mines, one click per second."""

    def __init__(self, level: str, seed: int) -> None:
        self.clicks = 0
        rng = random.Random(seed)
        size = Level.parse(level)
        self.client = Client(lambda: Game(size, FirstClick.OPEN, rng), clock=lambda: self.clicks)
        self.desktop = MemoryDesktop(self.client)
        self._rng = rng

    @property
    def board(self) -> Board:
        return self.client.game.board

    @property
    def mines(self) -> list[Cell]:
        """Where they are, in reading order, once the first opening has placed them."""
        return sorted(self.client.game.mines)

    @property
    def unopened_safe(self) -> list[Cell]:
        return [cell for cell in self.board.where(State.HIDDEN) if cell not in self.client.game.mines]

    def click(self, cells: Iterable[Cell], button: Button = "left") -> None:
        """Click each cell in turn through the desktop's mouse."""
        for cell in cells:
            self.clicks += 1
            inside = self.client.layout.region_of(cell).centre
            self.desktop.click(inside + self.desktop.window.origin, button)

    def begin(self) -> None:
        self.click([Cell(self.board.rows // 2, self.board.columns // 2)])

    def open_safe(self, share: float) -> None:
        """Open safe cells until about this share of the hidden ones is open."""
        left = len(self.unopened_safe) * (1 - share)
        while len(self.unopened_safe) > left:
            self.click([self._rng.choice(self.unopened_safe)])


def fresh(scene: Scene) -> None: ...


def early(scene: Scene) -> None:
    """One opening."""
    scene.begin()


def middle(scene: Scene) -> None:
    """Half of the safe cells."""
    scene.begin()
    scene.open_safe(0.5)


def flags(scene: Scene) -> None:
    """Half of the safe cells, every other mine flagged, and question marks."""
    middle(scene)
    scene.click(scene.mines[::2], "right")
    doubtful = [*scene.mines[1::4], *scene.unopened_safe[::5]]
    scene.click(doubtful, "right")
    scene.click(doubtful, "right")


def lost(scene: Scene) -> None:
    """A mine opened after right and wrong flags."""
    middle(scene)
    scene.click([*scene.mines[::3], *scene.unopened_safe[:2]], "right")
    scene.click([scene.mines[-2]])


def lost_by_chord(scene: Scene) -> None:
    """A chord at a number with as many wrong flags as mines around it: two explode at once."""
    scene.begin()
    scene.open_safe(0.7)
    mines = set(scene.mines)
    for cell in scene.board.where(2):
        around = [other for other in scene.board.neighbours(cell) if scene.board[other] == State.HIDDEN]
        wrong = [other for other in around if other not in mines][:2]
        if len(wrong) == len(mines.intersection(around)) == 2:
            scene.click(wrong, "right")
            scene.click([cell], "middle")
            return


def won(scene: Scene) -> None:
    """Every safe cell open, the mines flagged by the client."""
    scene.begin()
    scene.open_safe(1.0)


SCENES: dict[str, tuple[str, int, Callable[[Scene], None]]] = {
    "beginner_fresh": ("beginner", 1, fresh),
    "beginner_early": ("beginner", 2, early),
    "beginner_middle": ("beginner", 3, middle),
    "beginner_flags": ("beginner", 4, flags),
    "beginner_lost": ("beginner", 5, lost),
    "beginner_won": ("beginner", 6, won),
    "intermediate_middle": ("intermediate", 7, middle),
    "intermediate_lost_by_chord": ("intermediate", 8, lost_by_chord),
    "expert_fresh": ("expert", 9, fresh),
    "expert_early": ("expert", 10, early),
    "expert_middle": ("expert", 11, middle),
    "expert_flags": ("expert", 12, flags),
    "expert_lost": ("expert", 13, lost),
    "expert_won": ("expert", 14, won),
    "crowded_won": ("20x14/200", 15, won),
}


def play(name: str) -> Scene:
    level, seed, moves = SCENES[name]
    scene = Scene(level, seed)
    moves(scene)
    return scene


def write_fixtures() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in SCENES:
        scene = play(name)
        save_image(scene.desktop.grab().image, FOLDER / f"{name}.png")
        (FOLDER / f"{name}.txt").write_text(f"{scene.board}\n", encoding="ascii")


if __name__ == "__main__":
    write_fixtures()
