"""`changelog/unreleased` has a file for each change, and `scripts/join-changelog` makes a release of them."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
FIX = "Fix: A start waits for a command that has the data directory.\n\nIt ended with 78 and was not tried again.\n"
NEW = "New: Doors let photos in.\n\nMake one under Settings.\nIts code opens nothing.\n"
BEFORE = "# Changelog\n\nWords.\n\n## 0.1.0 (2026-11-01)\n\nThe first.\n"


def join(*arguments):
    command = [sys.executable, CHECKOUT / "scripts" / "join-changelog", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "changelog" / "unreleased").mkdir(parents=True)
    (tmp_path / "CHANGELOG.md").write_text(BEFORE)
    return tmp_path


def put(checkout, **files):
    for name, text in files.items():
        (checkout / "changelog" / "unreleased" / f"{name}.md").write_text(text)


def files(checkout):
    return {str(path.relative_to(checkout)): path.read_text() for path in checkout.rglob("*.md")}


def test_a_release_has_every_change_by_its_kind_and_takes_their_files(checkout):
    put(checkout, a_start=FIX, doors=NEW)
    assert join("0.2.0", "--checkout", checkout).returncode == 0
    (text,) = files(checkout).values()
    heading, _, rest = text.removeprefix("# Changelog\n\nWords.\n\n## 0.2.0 (").partition(")\n\n")
    assert len(heading) == len("2026-11-29")
    assert rest == (
        "### New\n\n- **Doors let photos in.** Make one under Settings. Its code opens nothing.\n\n"
        "### Fix\n\n- **A start waits for a command that has the data directory.** It ended with 78 and was not tried again.\n"
        "\n## 0.1.0 (2026-11-01)\n\nThe first.\n"
    )


@pytest.mark.parametrize(
    "text",
    ["A start waits.\n", "Mend: A start waits.\n", "Fix: \n", "Fix: A start waits.\nAt once.\n", "Fix: It waits.\n\n" + "word " * 81],
)
def test_a_file_of_another_form_is_named_and_nothing_changes(checkout, text):
    put(checkout, doors=NEW, start=text)
    before = files(checkout)
    for arguments in (["0.2.0"], ["--check"]):
        done = join(*arguments, "--checkout", checkout)
        assert done.returncode == 65 and "start.md" in done.stderr and "doors.md" not in done.stderr
    assert files(checkout) == before


@pytest.mark.parametrize("version, is_empty", [("0.1.0", False), ("0.2.0", True)])
def test_there_is_no_release_twice_and_none_of_nothing(checkout, version, is_empty):
    if not is_empty:
        put(checkout, doors=NEW)
    before = files(checkout)
    assert join(version, "--checkout", checkout).returncode == 65
    assert files(checkout) == before


def test_the_changes_of_this_checkout_have_that_form():
    done = join("--check")
    assert done.returncode == 0, done.stderr
