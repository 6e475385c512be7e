"""A contact sheet: small pictures, enlarged and captioned."""

from collections.abc import Sequence

import cv2
import numpy as np

from sweepbot.geometry import Image

_SIDE_PX = 64  # up to which pictures are enlarged by whole multiples
_GAP_PX = 12  # between pictures
_CAPTION_PX = 22  # height of what is written below each
_COLUMNS = 8  # pictures in a row
_PAPER, _INK = 250, (30, 30, 30)


def contact_sheet(pictures: Sequence[tuple[str, Image]]) -> Image:
    """Lay pictures of one shape out in rows, each with its caption: uint8 of shape (height, width, 3), as they are."""
    height, width = pictures[0][1].shape[:2]
    factor = max(1, _SIDE_PX // max(height, width))
    column, row = max(_SIDE_PX, width * factor) + 2 * _GAP_PX, height * factor + _CAPTION_PX + 2 * _GAP_PX
    columns = min(_COLUMNS, len(pictures))
    sheet = np.full((-(-len(pictures) // columns) * row, columns * column, 3), _PAPER, dtype=np.uint8)
    for index, (caption, picture) in enumerate(pictures):
        left, top = index % columns * column + _GAP_PX, index // columns * row + _GAP_PX
        large = picture.repeat(factor, axis=0).repeat(factor, axis=1)
        sheet[top : top + large.shape[0], left : left + large.shape[1]] = large
        at = (left, top + large.shape[0] + _CAPTION_PX - 7)
        cv2.putText(sheet, caption, at, cv2.FONT_HERSHEY_SIMPLEX, 0.42, _INK, 1, cv2.LINE_AA)
    return sheet
