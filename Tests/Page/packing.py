"""The page as it is installed, made from its sources."""

import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def pack_page(source, target):
    """The folder that the page was packed to, with the table of places beside it."""
    subprocess.run([CHECKOUT / "scripts/pack-page", source, target], check=True, timeout=60)
    places = Path(target).parent / "places.bin"
    if not places.exists():
        places.symlink_to(CHECKOUT / ".build/places.bin")
    return target
