"""Which script of the page uses which, and which folder which.

    python3 Tests/Page/module_graph.py      prints both, and what goes round in a circle

A part that `base/parts.js` names is no use of it: the list says where parts are, and whoever asks for one by its name gets
it later, when everything that is used in both directions is there.
"""

import re
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "www" / "js"
NAMED = re.compile(r'"(\.\.?/[\w/-]+\.js)"')
IMPORTED = re.compile(r'\b(?:from|import) "(\.\.?/[\w/-]+\.js)"')
# What stands there tells of types.
COMMENT = re.compile(r"/\*\*.*?\*/", re.DOTALL)


def named_in(path, pattern=NAMED):
    """The scripts that one names."""
    return {(path.parent / name).resolve() for name in pattern.findall(COMMENT.sub("", path.read_text()))}


def reached_from(entry, pattern=NAMED):
    """A script with all that it names, and so on."""
    found, unread = set(), [entry]
    while unread:
        path = unread.pop()
        if path not in found:
            found.add(path)
            unread += named_in(path, pattern)
    return found


def uses_of_modules(scripts=SCRIPTS):
    """`folder/name` → those that it imports."""
    root = scripts.resolve()

    def called(path):
        return str(path.relative_to(root).with_suffix(""))

    return {called(path): {called(other) for other in named_in(path, IMPORTED)} for path in sorted(root.rglob("*.js"))}


def uses_of_folders(modules):
    """The same for the folders that they lie in."""
    uses = {}
    for module, others in modules.items():
        folder = module.rpartition("/")[0]
        uses.setdefault(folder, set()).update(other.rpartition("/")[0] for other in others)
    return {folder: others - {folder} for folder, others in uses.items()}


def both_ways(uses):
    """The pairs that use each other."""
    return sorted((one, other) for one in uses for other in uses[one] if one < other and one in uses.get(other, ()))


def cycles(uses):
    """The groups in which each leads to each, over however many others."""
    reached = {}
    for start in uses:
        found, unread = set(), list(uses[start])
        while unread:
            name = unread.pop()
            if name not in found:
                found.add(name)
                unread += uses.get(name, ())
        reached[start] = found
    groups = {frozenset(other for other in reached[name] if name in reached.get(other, ())) for name in uses}
    return sorted(sorted(group) for group in groups if group)


def main():
    modules = uses_of_modules()
    folders = uses_of_folders(modules)
    for title, uses in (("folders", folders), ("modules", modules)):
        print(f"{len(uses)} {title}")
        for name, others in uses.items():
            print(f"    {name} uses {', '.join(sorted(others)) or 'none'}")
    print("folders that use each other:", both_ways(folders) or "none")
    print("circles of folders:", cycles(folders) or "none")
    print("circles of modules:", cycles(modules) or "none")


if __name__ == "__main__":
    main()
