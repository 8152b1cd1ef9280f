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


FORMAT = CHECKOUT / "docs" / "format.md"


def block(declaration):
    """What stands between the braces of a declaration, wherever it is."""
    for path in SOURCES.rglob("*.swift"):
        if found := re.search(rf"^( *).*\b{declaration} \{{\n(.*?)^\1\}}", path.read_text(), re.MULTILINE | re.DOTALL):
            return found[2]
    raise LookupError(declaration)


@pytest.mark.parametrize("declaration", ["enum StoreLayout", "enum BackupLayout", "enum MetaKey", "enum HostMetaKey"])
def test_the_format_names_every_file_and_every_value_of_the_ledger(declaration):
    names = {name.rstrip("-") for name in re.findall(r'"([a-zA-Z][\w.-]*)"', block(declaration))}
    names = {name for name in names if ".sqlite-" not in name}  # SQLite's own stand behind their file.
    words = FORMAT.read_text()
    assert names
    assert [name for name in sorted(names) if not re.search(rf"(?<![\w.-]){re.escape(name)}", words)] == []


# Where the fields of each record are described; those of a sidecar in the row of the field that holds them.
FIELDS = {
    "PhotoRecord": "| tag | field of a photo |", "FactsCoding": "| tag | in field 21 |", "SidecarFacts": "| 27 |",
    "BatchRecord": "Fields of a batch:", "KeptSession": "Fields of a listed session:", "WayRecord": "| tag | field of a way |",
    "AlbumRecord": "| tag | field of an album |", "DoorRecord": "| tag | field of a door |", "WindowRecord": "| tag | field of a window |",
    "VaultHead": "| tag | field of the head |", "UploadRecord": "| tag | field of an unfinished upload |",
}  # fmt: skip


def tags():
    """The numbers of the fields that each type of the sources reads and writes."""
    for path in (SOURCES / "Records").rglob("*.swift"):
        text = path.read_text()
        for found in re.finditer(r"^    \w+ enum Tag \{\n(.*?)^    \}", text, re.MULTILINE | re.DOTALL):
            owner = re.findall(r"^(?:\w+ )*(?:struct|enum|class|extension) (\w+)", text[: found.start()], re.MULTILINE)[-1]
            yield owner, {int(number) for number in re.findall(r": UInt8 = (\d+)", found[1])}


def told(beginning):
    """The numbers of fields that a table, a row or a sentence of the format describes."""
    [words] = re.findall(rf"^{re.escape(beginning)}(.*(?:\n\|.*)*)", FORMAT.read_text(), re.MULTILINE)
    if beginning.startswith("| tag |"):
        cells = re.findall(r"^\| (\d[\d, ]*) \|", words, re.MULTILINE)
    else:
        cells = re.findall(r"(?:^|[:;]) (\d+(?:(?:, | and )\d+)*)", words.splitlines()[0])
    return {int(number) for cell in cells for number in re.findall(r"\d+", cell)}


def test_the_format_describes_every_field_of_every_record():
    written = dict(tags())
    assert written.keys() == FIELDS.keys()
    assert {owner: missing for owner, numbers in written.items() if (missing := numbers - told(FIELDS[owner]))} == {}
