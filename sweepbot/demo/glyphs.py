"""The client's pixel art, one character per pixel, and the colours that the characters stand for."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Glyph = NDArray[np.str_]
"""Array of shape (height, width) of single characters, keys of `COLOURS`; `.` is transparent."""

Colour = tuple[int, int, int]
"""Blue, green, red, each 0 to 255."""

BLACK: Final[Colour] = (0, 0, 0)
WHITE: Final[Colour] = (255, 255, 255)
RED: Final[Colour] = (0, 0, 255)
YELLOW: Final[Colour] = (0, 255, 255)
FACE: Final[Colour] = (192, 192, 192)
"""The colour of the window and of every cell."""
SHADE: Final[Colour] = (128, 128, 128)
"""The colour of the bevels' shaded sides, and of the lines between open cells."""

COLOURS: Final[dict[str, Colour]] = {"#": BLACK, "w": WHITE, "r": RED, "y": YELLOW}

NUMBER_COLOURS: Final[dict[int, Colour]] = {
    1: (255, 0, 0),
    2: (0, 128, 0),
    3: RED,
    4: (128, 0, 0),
    5: (0, 0, 128),
    6: (128, 128, 0),
    7: BLACK,
    8: SHADE,
}


def _sheet(text: str) -> tuple[Glyph, ...]:
    """Split a block of text into the glyphs that stand side by side in it, separated by blanks."""
    rows = [line.split() for line in text.split("\n") if line]
    return tuple(np.array([list(line) for line in glyph]) for glyph in zip(*rows, strict=True))


NUMBERS: Final[dict[int, Glyph]] = dict(
    enumerate(
        _sheet("""
.....##...  .########.  #########.  ..###.###.
....###...  ##########  ##########  ..###.###.
..#####...  ###....###  .......###  .###..###.
..#####...  .......###  .......###  .###..###.
....###...  .....#####  ...######.  ##########
....###...  ...#####..  ...######.  ##########
....###...  .#####....  .......###  ......###.
....###...  ####......  .......###  ......###.
..#######.  ##########  ##########  ......###.
..#######.  ##########  #########.  ......###.
""")
        + _sheet("""
##########  .########.  ##########  .########.
##########  #########.  ##########  ##########
###.......  ###.......  .......###  ###....###
###.......  ###.......  .......###  ###....###
#########.  #########.  ......###.  .########.
##########  ##########  ......###.  .########.
.......###  ###....###  .....###..  ###....###
.......###  ###....###  .....###..  ###....###
##########  ##########  ....###...  ##########
#########.  .########.  ....###...  .########.
"""),
        start=1,
    )
)
"""The numbers 1 to 8."""

FLAG, QUESTION = _sheet("""
....rr....  ..######..
..rrrr....  .########.
.rrrrr....  .###..###.
..rrrr....  ......###.
....rr....  .....####.
.....#....  ....###...
.....#....  ....###...
...#####..  ..........
.########.  ....###...
.########.  ....###...
""")

MINE, CROSS = _sheet("""
......#......  rr..........rr
......#......  .rr........rr.
..#..###..#..  ..rr......rr..
...#######...  ...rr....rr...
...#ww####...  ....rr..rr....
..##ww#####..  .....rrrr.....
#############  ......rr......
..#########..  .....rrrr.....
...#######...  ....rr..rr....
...#######...  ...rr....rr...
..#..###..#..  ..rr......rr..
......#......  .rr........rr.
......#......  rr..........rr
""")

(SMILEY,) = _sheet("""
......#####......
....##yyyyy##....
...#yyyyyyyyy#...
..#yyyyyyyyyyy#..
.#yyyyyyyyyyyyy#.
.#yyyyyyyyyyyyy#.
#yyyyyyyyyyyyyyy#
#yyyyyyyyyyyyyyy#
#yyyyyyyyyyyyyyy#
#yyyyyyyyyyyyyyy#
#yyyyyyyyyyyyyyy#
.#yyyyyyyyyyyyy#.
.#yyyyyyyyyyyyy#.
..#yyyyyyyyyyy#..
...#yyyyyyyyy#...
....##yyyyy##....
......#####......
""")

HAPPY, AMAZED, DEAD, COOL = _sheet("""
.............  ...#.....#...  ..#.#...#.#..  .............
...##...##...  ..###...###..  ...#.....#...  .###########.
...##...##...  ..###...###..  ..#.#...#.#..  #.####.####.#
.............  ...#.....#...  .............  #.####.####.#
.............  .............  .............  ...##...##...
.............  .....###.....  .............  .............
..#.......#..  ....#...#....  ....#####....  ..#.......#..
...#.....#...  ....#...#....  ...#.....#...  ...#.....#...
....#####....  .....###.....  ..#.......#..  ....#####....
""")
"""Eyes and mouths, all of the same size."""

(SEGMENTS,) = _sheet("""
.............
..aaaaaaaaa..
.f.aaaaaaa.b.
.ff.aaaaa.bb.
.fff.....bbb.
.fff.....bbb.
.fff.....bbb.
.fff.....bbb.
.fff.....bbb.
.ff.......bb.
.f.ggggggg.b.
..ggggggggg..
.e.ggggggg.c.
.ee.......cc.
.eee.....ccc.
.eee.....ccc.
.eee.....ccc.
.eee.....ccc.
.eee.....ccc.
.ee.ddddd.cc.
.e.ddddddd.c.
..ddddddddd..
.............
""")
"""A digit of a counter: its seven segments by their usual letters, which are not keys of `COLOURS`."""

LIT: Final[dict[str, str]] = {
    "0": "abcdef",
    "1": "bc",
    "2": "abdeg",
    "3": "abcdg",
    "4": "bcfg",
    "5": "acdfg",
    "6": "acdefg",
    "7": "abc",
    "8": "abcdefg",
    "9": "abcdfg",
    "-": "g",
}
"""The segments that are lit for each character of a counter."""
