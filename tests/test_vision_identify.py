"""The client is told by its look: recorded screenshots of each one are read with its own calibration."""

from pathlib import Path

import pytest

from sweepbot.vision.identify import read_with_all
from sweepbot.vision.image import load_image

FIXTURES = Path(__file__).parent.parent / "fixtures"
LOOKS_LIKE = {"demo": "winxp"}
"""The bundled client is drawn in the look of another, which a picture is likelier of."""


@pytest.mark.parametrize("client", sorted(folder.name for folder in FIXTURES.iterdir() if folder.is_dir()))
def test_each_client_is_told_from_the_others(client: str) -> None:
    """The best reading of a client's screenshots is the one with its calibration, and scores are in order."""
    for image in sorted((FIXTURES / client).glob("*middle*.png")):
        readings = read_with_all(load_image(image))
        assert readings[0].client == LOOKS_LIKE.get(client, client)
        assert all(0 <= reading.confidence <= 1 for reading in readings)
