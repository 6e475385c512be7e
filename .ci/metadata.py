"""What the package says of where it comes from: only known where it is built, and so filled in by the build.

An index page shows the README outside its repository, where relative links lead nowhere. Where the workflows of GitHub
build it, GITHUB_REPOSITORY names the repository; elsewhere the README stays as it is, and no address is given.
"""

import os
import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?\[[^\]]*\]\()(?!https?:|#)([^)]+\))")


class CustomMetadataHook(MetadataHookInterface):
    """Fills in `readme` and `urls`."""

    def update(self, metadata: dict[str, object]) -> None:
        """Add them to the project's metadata."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        if repository := os.environ.get("GITHUB_REPOSITORY"):
            home = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}"
            tag = f"v{metadata['version']}"

            def absolute(link: re.Match[str]) -> str:
                return f"{link[1]}{home}/{'raw' if link[1].startswith('!') else 'blob'}/{tag}/{link[2]}"

            text = _LINK.sub(absolute, text).replace("git clone ADDRESS", f"git clone {home}")
            metadata["urls"] = {
                "Homepage": home,
                "Changelog": f"{home}/blob/{tag}/.github/CHANGELOG.md",
                "Issues": f"{home}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
