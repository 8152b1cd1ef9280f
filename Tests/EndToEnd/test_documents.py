"""Documents name files, folders and types that are there."""

import re

import pytest
from daemon import CHECKOUT

SOURCES = CHECKOUT / "Sources"
DOCUMENTS = [CHECKOUT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(
    (CHECKOUT / "docs").glob("*.md")
)


def quoted(document):
    """What stands between backticks within a line."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    return set(re.findall(r"`([^`\n]+)`", text))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_names_sources_that_are_there(document):
    paths = {word for word in quoted(document) if re.fullmatch(r"(Sources|Tests|scripts|docs|www)/[\w+./-]*", word)}
    assert [path for path in sorted(paths) if not (CHECKOUT / path).exists()] == []


def test_links_between_documents_lead_somewhere():
    missing = []
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", document.read_text()):
            if not (document.parent / target).exists():
                missing.append((document.name, target))
    assert missing == []


@pytest.mark.parametrize("name", ["architecture.md", "debugging.md"])
def test_what_shows_the_house_names_rooms_and_types_that_are_there(name):
    text = "\n".join(path.read_text() for path in sorted(SOURCES.rglob("*.swift")))
    words = set(re.findall(r"\w+", text))
    files = {path.name for path in (*SOURCES.rglob("*"), *(CHECKOUT / "Tests").rglob("*.swift"))}
    folders = {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*")}
    missing = []
    for quote in quoted(CHECKOUT / "docs" / name):
        if re.fullmatch(r"[A-Z]\w*[a-z]\w*(\.\w+)?", quote):
            is_there = quote in files or set(quote.split(".")) <= words | folders
        elif re.fullmatch(r"[A-Z]\w+/[\w+./]+", quote):
            is_there = quote in folders or (CHECKOUT / quote).exists()
        else:
            continue
        if not is_there:
            missing.append(quote)
    assert missing == []
