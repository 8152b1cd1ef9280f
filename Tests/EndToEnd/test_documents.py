"""Documents name files, folders and types that are there."""

import re
from pathlib import Path

import pytest
from daemon import CHECKOUT

SOURCES = CHECKOUT / "Sources"
DOCUMENTS = [CHECKOUT / name for name in ("README.md", "CONTRIBUTING.md", "GOALS.md", "SECURITY.md")] + sorted(
    (CHECKOUT / "docs").glob("*.md")
)


def quoted(document):
    """What stands between backticks within a line."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    return set(re.findall(r"`([^`\n]+)`", text))


def test_documents_name_sources_that_are_there():
    missing = [
        (document.name, word) for document in DOCUMENTS for word in sorted(quoted(document))
        if re.fullmatch(r"(Sources|Tests|scripts|docs|www)/[\w+./-]*", word) and not (CHECKOUT / word).exists()
    ]  # fmt: skip
    assert missing == []


def anchors(document):
    """By which its headings are linked, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_links_between_documents_lead_somewhere():
    missing = []
    for document in DOCUMENTS:
        for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", document.read_text()):
            there = document.parent / target if target else document
            if not there.exists() or anchor and anchor not in anchors(there):
                missing.append((document.name, target, anchor))
    assert missing == []


def test_documents_name_tests_that_are_there():
    """`test_…` in full, or with its beginning and `…`."""
    files = (CHECKOUT / "Tests").rglob("test_*.py")
    defined = {name for path in files for name in [path.stem, *re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)]}
    missing = [
        (document.name, word)
        for document in DOCUMENTS
        for word in sorted(quoted(document))
        if re.fullmatch(r"test_\w+…?", word)
        and not (word in defined or word.endswith("…") and any(name.startswith(word[:-1]) for name in defined))
    ]
    assert missing == []


def test_documents_name_scripts_of_the_page_that_are_there():
    """`base/api.js`, or by their name alone."""
    scripts = {str(path.relative_to(CHECKOUT / "www")).removeprefix("js/") for path in (CHECKOUT / "www").rglob("*.js")}
    known = scripts | {Path(script).name for script in scripts} | {"fr.js"}  # A language that somebody may add.
    named = {word for document in DOCUMENTS for word in quoted(document) if re.fullmatch(r"(\w+/)?[a-z-]+\.js", word)}
    assert "base/api.js" in named
    assert named - known == set()


ARCHITECTURE = CHECKOUT / "docs" / "architecture.md"
DECLARATION = re.compile(
    r"^(?:.*\s)?(?:class|struct|enum|actor|protocol|extension|func|var|let|case|typealias)\s+([\w.]+)", re.MULTILINE
)


def declared():
    """The names that each file of the sources declares or extends: `Session.Photos` as `Session` and `Photos`."""
    for path in SOURCES.rglob("*.swift"):
        names = DECLARATION.findall(re.sub(r"//.*", "", path.read_text()))
        yield {part for name in names for part in name.split(".")}


@pytest.mark.parametrize("name", ["architecture.md", "debugging.md"])
def test_what_shows_the_house_names_rooms_types_and_members_that_are_there(name):
    names = list(declared())
    files = {path.name for path in (*SOURCES.rglob("*"), *(CHECKOUT / "Tests").rglob("*.swift"))}
    folders = {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*")}
    missing = []
    for quote in quoted(CHECKOUT / "docs" / name):
        if re.fullmatch(r"[A-Z]\w*[a-z]\w*(\.\w+)*(\([\w:]+\))?", quote):
            # A member stands in a file that declares its type, or extends it.
            parts = set(quote.split("(")[0].split("."))
            is_there = quote in files | folders or any(parts <= names for names in names)
        elif re.fullmatch(r"[A-Z]\w+/[\w+./]+", quote):
            is_there = quote in folders or (CHECKOUT / quote).exists()
        else:
            continue
        if not is_there:
            missing.append(quote)
    assert missing == []


def test_every_thread_that_may_block_stands_in_its_table():
    made = r'BlockingPool\((?:name:|.*named:) "([^"]+)"'
    threads = {name for path in SOURCES.rglob("*.swift") for name in re.findall(made, path.read_text())}
    rows = {quote for line in ARCHITECTURE.read_text().splitlines() for quote in re.findall(r"`([a-z -]+)-0`", line)}
    assert "seal" in threads
    assert threads == rows
