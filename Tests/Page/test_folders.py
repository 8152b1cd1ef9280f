"""The scripts of the page lie in folders with walls: what one uses never uses that one."""

from module_graph import SCRIPTS, both_ways, cycles, uses_of_folders, uses_of_modules


def test_no_script_leads_back_to_itself():
    assert cycles(uses_of_modules()) == []


def test_no_folder_leads_back_to_itself():
    folders = uses_of_folders(uses_of_modules())
    assert len(folders) > 10
    assert both_ways(folders) == []
    assert cycles(folders) == []


def test_every_script_lies_in_a_folder_and_has_a_name_of_its_own():
    modules = list(uses_of_modules())
    assert [name for name in modules if name.count("/") != 1] == []
    names = [name.rpartition("/")[2] for name in modules]
    assert len(set(names)) == len(names)


def test_a_script_is_read_at_a_sitting_and_there_are_no_more_of_them_than_were():
    """Ceilings: they fall with the page, and rise only for something new that people can do with it."""
    counts = {path.name: len(path.read_text().splitlines()) for path in SCRIPTS.rglob("*.js")}
    assert {name: count for name, count in counts.items() if count > 400} == {}
    assert len(counts) <= 94
    assert sum(counts.values()) <= 24_192


LEADING_BACK = {
    "one way": ({"a/one": ["../b/two.js"], "b/two": []}, [], []),
    "both ways": ({"a/one": ["../b/two.js"], "b/two": ["../a/three.js"], "a/three": []}, [], [("a", "b")]),
    "within a folder": ({"a/one": ["./two.js"], "a/two": ["./one.js"]}, [["a/one", "a/two"]], []),
    "over three": (
        {"a/one": ["../b/two.js"], "b/two": ["../c/three.js"], "c/three": ["../a/one.js"]},
        [["a/one", "b/two", "c/three"]],
        [],
    ),
    "to itself": ({"a/one": ["./one.js"]}, [["a/one"]], []),
}


def test_what_leads_back_is_seen(tmp_path):
    for label, (sources, circles, pairs) in LEADING_BACK.items():
        for name, others in sources.items():
            path = tmp_path / label / f"{name}.js"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f'import {{ that }} from "{other}";\n' for other in others))
        modules = uses_of_modules(tmp_path / label)
        found = (cycles(modules), both_ways(uses_of_folders(modules)), bool(cycles(uses_of_folders(modules))))
        is_circle = bool(pairs or len({name[0] for name in sum(circles, [])}) > 1)
        assert found == (circles, pairs, is_circle), label
