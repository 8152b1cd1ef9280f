"""What can be seen in the page's files without a browser. Each rule goes over all files and says everything that is wrong."""

import json
import re
from itertools import chain
from pathlib import Path

import html5lib
import tinycss2
from module_graph import IMPORTED, reached_from

CHECKOUT = Path(__file__).resolve().parents[2]
WWW = CHECKOUT / "www"
SCRIPTS = sorted((WWW / "js").rglob("*.js"))
STYLES = sorted((WWW / "css").glob("*.css"))
HTML = sorted(WWW.rglob("*.html"))
SCRIPT_TESTS = sorted((CHECKOUT / "Tests" / "js").glob("*.test.js"))
LANGUAGES = ("en", "zh-Hans", "zh-Hant")
ENTRY = re.compile(r'^    "([^"]+)": (.+),$', re.MULTILINE)
FORM = re.compile(r'(\w+): ("(?:[^"\\]|\\.)*")')
NAMED_IMPORT = re.compile(r'import \{([^}]+)\} from "(\.\.?/[\w/-]+\.js)"')
EXPORTED = re.compile(r"^export (?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)


def wrong(rule, paths):
    """What a rule says of each file, with the name of the file in front."""
    assert paths
    return [f"{path.relative_to(CHECKOUT)}: {reason}" for path in paths for reason in rule(path)]


def imported_styles(path):
    return [path.parent / name for name in re.findall(r'@import "\./([^"]+)"', path.read_text())]


class Page:
    """One of the pages: what it loads and the folders of its words, the second of which come later."""

    def __init__(self, name, entry, *words):
        self.html = WWW / name
        self.scripts = reached_from(WWW / "js" / entry)
        self.source = "\n".join(path.read_text() for path in sorted(self.scripts))
        named = re.findall(r'rel="stylesheet" href="/([^"]+)"', self.html.read_text())
        named += re.findall(r'styles\("/([^"]+)"\)', self.source)
        self.styles = [path for name in named for path in [WWW / name, *imported_styles(WWW / name)]]
        self.words = [path for folder in words for path in (WWW / "i18n" / folder).glob("*.js")]

    def messages(self, language):
        sets = [messages(path) for path in self.words if path.stem == language]
        together = {key: forms for one in sets for key, forms in one.items()}
        assert len(together) == sum(map(len, sets)), "a key stands in two files"
        return together


PAGES = {
    "vault": Page("index.html", "start/main.js", "", "inside", "photos"),
    "connect": Page("connect.html", "connect/connect.js", "connect"),
    "give": Page("give/index.html", "give/give.js", "give"),
    "see": Page("see/index.html", "see/see.js", "see", "photos"),
}


def messages(path):
    """key → {form: text}; a plain text has the form None."""
    found = {}
    for key, value in ENTRY.findall(path.read_text()):
        assert key not in found, f"{path.name}: {key} twice"
        found[key] = {None: json.loads(value)} if value.startswith('"') else {
            form: json.loads(text) for form, text in FORM.findall(value)
        }  # fmt: skip
    return found


def placeholders(forms):
    return {name for text in forms.values() for name in re.findall(r"\{(\w+)\}", text)}


def test_every_file_belongs_to_a_page():
    assert {page.html for page in PAGES.values()} == set(HTML)
    assert {WWW / "js" / "start" / "early.js"}.union(*(page.scripts for page in PAGES.values())) == set(SCRIPTS)
    assert {style for page in PAGES.values() for style in page.styles} == set(STYLES)
    assert {path for page in PAGES.values() for path in page.words} == set(WWW.glob("i18n/**/*.js"))


def test_each_test_of_a_script_is_named_after_the_one_module_that_it_is_of_or_a_thought_there():
    def rule(path):
        modules = set(re.findall(r'from "\.\./\.\./www/(?:js|i18n)/(?:[\w-]+/)*([\w-]+)\.js"', path.read_text()))
        name = path.name.removesuffix(".test.js")
        if not modules and not (WWW / f"{name}.js").exists():
            yield "imports no module of www/js or www/i18n"
        elif name in {one.stem for one in SCRIPTS} and name not in modules:
            yield f"imports no module {name}.js of www/js or www/i18n"

    assert wrong(rule, SCRIPT_TESTS) == []


# -- HTML


def test_the_html_is_strictly_right_and_ids_are_unique():
    def rule(path):
        parser = html5lib.HTMLParser(namespaceHTMLElements=False)
        document = parser.parse(path.read_text())
        yield from (f"line {line}: {code}" for (line, _), code, _ in parser.errors)
        ids = [element.get("id") for element in document.iter() if element.get("id")]
        yield from (f"id {id} twice" for id in set(ids) if ids.count(id) > 1)

    assert wrong(rule, HTML) == []


def test_the_html_has_no_inline_script_or_style():
    def rule(path):
        document = html5lib.parse(path.read_text(), namespaceHTMLElements=False)
        for element in document.iter():
            if not isinstance(element.tag, str):
                continue
            if element.tag == "style":
                yield "a style element"
            if element.tag == "script" and (not element.get("src") or (element.text or "").strip()):
                yield "an inline script"
            inline = [name for name in element.attrib if name.startswith("on") or name == "style"]
            yield from (f"{name} of {element.tag}" for name in inline)

    assert wrong(rule, HTML) == []


def test_nothing_can_be_typed_on_the_page_that_comes_unencrypted():
    document = html5lib.parse(PAGES["connect"].html.read_text(), namespaceHTMLElements=False)
    assert not {"form", "input", "textarea"} & {element.tag for element in document.iter()}
    assert not re.search(r'"(form|input|textarea)"', PAGES["connect"].source)


def test_without_javascript_the_page_about_the_connection_speaks_every_language():
    document = html5lib.parse(PAGES["connect"].html.read_text(), namespaceHTMLElements=False)
    parts = list(next(document.iter("noscript")).iter("section"))
    assert [part.get("lang", "en") for part in parts] == list(LANGUAGES)
    for part in parts:
        assert [link.get("href") for link in part.iter("a")] == ["/safelight-authority.crt"]


def test_the_plain_form_names_the_password_before_the_photos():
    document = html5lib.parse((WWW / "index.html").read_text(), namespaceHTMLElements=False)
    form = next(document.iter("form"))
    assert (form.get("action"), form.get("method")) == ("/api/photos", "post")
    assert form.get("enctype") == "multipart/form-data"
    assert [field.get("name") for field in form.iter("input")] == ["password", "photos"]


# -- scripts and styles


def test_scripts_make_no_markup_and_run_no_text():
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc"
    text_as_code = r"\beval\(|new Function|setTimeout\(['\"]"
    assert wrong(lambda path: re.findall(f"{markup}|{text_as_code}", path.read_text()), SCRIPTS) == []


def test_what_a_script_imports_is_exported_there():
    def exports(path):
        source = path.read_text()
        passed_on = (exports((path.parent / other).resolve()) for other in re.findall(r'^export \* from "([^"]+)"', source, re.M))
        return set(EXPORTED.findall(source)).union(*passed_on)

    exported = {path: exports(path) for path in SCRIPTS}

    def rule(path):
        for names, other in NAMED_IMPORT.findall(path.read_text()):
            missing = {name.strip() for name in names.split(",")} - exported.get((path.parent / other).resolve(), set())
            yield from (f"{other} exports no {name}" for name in sorted(missing))

    assert wrong(rule, SCRIPTS) == []


def test_nothing_is_fetched_from_elsewhere():
    def rule(path):
        source = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE)
        addresses = re.findall(r"(?:https?:)?//[\w-]+\.[\w.-]+", source)
        return [address for address in addresses if "www.w3.org" not in address]

    assert wrong(rule, SCRIPTS + STYLES + HTML) == []


def test_style_sheets_parse():
    def errors(rules):
        for rule in rules:
            if rule.type == "error":
                yield rule
            elif rule.type == "qualified-rule":
                parts = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
                yield from (part for part in parts if part.type == "error")
            elif rule.type == "at-rule" and rule.content and rule.at_keyword in ("media", "supports"):
                yield from errors(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True))

    def rule(path):
        sheet = tinycss2.parse_stylesheet(path.read_text(), skip_comments=True, skip_whitespace=True)
        return [f"line {error.source_line}: {error.message}" for error in errors(sheet)]

    assert wrong(rule, STYLES) == []


def test_no_style_sheet_holds_the_page_in_one_orientation():
    """WCAG 1.3.4: nothing is turned where the device is."""

    def rule(path):
        for one in tinycss2.parse_stylesheet(path.read_text(), skip_comments=True, skip_whitespace=True):
            if one.type == "at-rule" and one.content and "orientation" in tinycss2.serialize(one.prelude):
                turned = re.findall(r"\brotate\w*\(|\brotate\s*:", tinycss2.serialize(one.content))
                yield from (f"line {one.source_line}: {words}" for words in turned)

    assert wrong(rule, STYLES) == []


def test_icons_that_are_used_are_in_the_sprite():
    drawn = set(re.findall(r'<symbol id="icon-(\w+)"', (WWW / "icons.svg").read_text()))
    used = {name for path in SCRIPTS for name in re.findall(r'\bicon\("(\w+)"', path.read_text())}
    assert used and used - drawn == set()


def test_what_the_door_needs_is_fetched_side_by_side():
    """Module by module, each would wait for the one that imports it."""
    main = WWW / "js" / "start" / "main.js"
    links = re.findall(r'rel="modulepreload" href="/([^"]+)"', (WWW / "index.html").read_text())
    assert sorted([*(WWW / link for link in links), main]) == sorted(reached_from(main, IMPORTED))


# -- words


def about_words(rule):
    """What a rule says of the words of each page, with the name of the page in front."""
    return [f"{name}: {reason}" for name, page in PAGES.items() for reason in rule(page)]


def test_every_language_has_the_same_keys_and_placeholders():
    def rule(page):
        wanted = {(path.parent, language) for path in page.words for language in LANGUAGES}
        there = {(path.parent, path.stem) for path in page.words}
        yield from (f"{folder.name}/{stem}" for folder, stem in sorted(wanted ^ there))
        english = page.messages("en")
        if len(english) <= 50:
            yield f"only {len(english)} words are read"
        for language in LANGUAGES:
            other = page.messages(language)
            yield from (f"{language}: {key} is in one language alone" for key in sorted(other.keys() ^ english.keys()))
            for key in other.keys() & english.keys():
                yield from (f"{language}: {key} {reason}" for reason in differences(key, other[key], english[key]))

    def differences(key, forms, english):
        if placeholders(forms) != placeholders(english):
            yield "has other placeholders"
        if (None in forms) != (None in english):
            yield "is counted in one language alone"
        # Not every script leaves a space between sentences.
        if key != "space" and not all(forms.values()):
            yield "is empty"

    assert about_words(rule) == []


def test_counted_texts_have_every_form_of_their_language():
    forms = {"en": {"one", "other"}, "zh-Hans": {"other"}, "zh-Hant": {"other"}}

    def rule(page):
        for language, wanted in forms.items():
            for key, found in page.messages(language).items():
                if set(found) not in ({None}, wanted):
                    yield f"{language}: {key} has the forms {set(found)}"

    assert about_words(rule) == []


def test_no_words_stand_outside_the_language_files():
    """Neither as a sentence, nor as the content of an element, nor in any script but Latin."""

    def rule(path):
        source = re.sub(r"/\*\*.*?\*/|^\s*//[^\n]*$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        # The names of the languages stand there, and those that months have in names of files.
        foreign = [] if path.name in ("i18n.js", "civil-time.js") else re.findall(r"[\u0400-\uffdc]+", source)
        sentences = re.findall(r'["`][A-Z][a-z]+,? [a-z]+[^"`\n]*["`]', source)
        return [*foreign, *sentences, *re.findall(r'\},\s+"([A-Za-z]{2,}[^"]*)"\)', source)]

    assert wrong(rule, SCRIPTS) == []


def test_every_key_is_used_and_every_used_key_exists():
    def rule(page):
        known = set(page.messages("en"))
        begun = tuple(f"{stem}." for stem in re.findall(r"`([\w.]+)\.\$\{", page.source))
        endings = set(re.findall(r"`\$\{\w+\}(\.?\w+)`", page.source))
        quoted = set(re.findall(r'"([\w.-]+)"', page.source))
        quoted |= {stem + ending for stem in quoted for ending in endings}
        yield from (f"{key} is used nowhere" for key in sorted(known - quoted) if not key.startswith(begun))
        # i18n.js itself says times that are left; only the vault's page asks for them.
        spoken = "\n".join(path.read_text() for path in page.scripts if path.name != "i18n.js")
        yield from (f"{key} is no text" for key in sorted(set(re.findall(r'\bt\("([^"]+)"', spoken)) - known))

    assert about_words(rule) == []


def test_steps_are_numbered_without_a_gap_and_every_platform_has_all_of_its_words():
    listed = re.search(r"platforms = \[(.+)\];", (WWW / "js" / "base" / "browser.js").read_text())[1]
    platforms = re.findall(r'"(\w+)"', listed)
    keys = PAGES["connect"].messages("en")
    for platform in platforms:
        count = sum(key.startswith(f"step.{platform}.") for key in keys)
        assert 3 <= count <= 5, platform
        assert all(f"step.{platform}.{number}" in keys for number in range(1, count + 1)), platform
        assert f"name.{platform}" in keys, platform
    assert {key.split(".")[1] for key in keys if key.startswith(("step.", "name."))} == set(platforms)


def test_words_that_are_set_apart_are_closed():
    texts = [(language, key, text) for language in LANGUAGES
             for key, forms in PAGES["connect"].messages(language).items() for text in forms.values()]  # fmt: skip
    assert [one for one in texts if one[2].count("*") % 2 or one[2].count("`") % 2] == []


# -- the home screen, and colours


def test_the_page_can_be_put_on_a_home_screen():
    manifest = json.loads((WWW / "manifest.webmanifest").read_text())
    assert manifest["display"] == "standalone" and manifest["start_url"] == "/"
    drawn = {(icon["sizes"], icon["purpose"]): WWW / icon["src"].lstrip("/") for icon in manifest["icons"]}
    assert {("any", "any"), ("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")} <= drawn.keys()
    touch = re.search(r'rel="apple-touch-icon" href="/([^"]+)"', (WWW / "index.html").read_text())[1]
    for (sizes, _), path in [*drawn.items(), (("180x180", ""), WWW / touch)]:
        if path.suffix == ".png":
            # A PNG says its size behind its signature and the name of its first part.
            width, height = (int.from_bytes(path.read_bytes()[at : at + 4], "big") for at in (16, 20))
            assert f"{width}x{height}" == sizes, path


def test_what_is_installed_speaks_the_language_of_the_page():
    def read(name):
        """What has words by its place, and all else."""
        manifest = json.loads((WWW / name).read_text())
        words = [manifest.pop("lang"), manifest.pop("description"), *(one.pop("name") for one in manifest["shortcuts"])]
        return words, manifest

    (english, same), *others = [read(f"manifest{language}.webmanifest") for language in ("", ".zh-Hans", ".zh-Hant")]
    for language, (words, manifest) in zip(("zh-Hans", "zh-Hant"), others, strict=True):
        assert manifest == same and words[0] == language
        assert not set(words) & set(english)
        assert words[2] == PAGES["vault"].messages(language)["add"][None]


def luminance(colour):
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def themes():
    """The colours of both themes, from the light-dark() pairs."""
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", (WWW / "css" / "tokens.css").read_text())
    return {"light": {name: light for name, light, _ in pairs}, "dark": {name: dark for name, _, dark in pairs}}


GROUNDS = ("bg", "surface", "raised")
TEXT = [(text, ground) for text in ("text", "text-2", "accent", "danger", "ok") for ground in GROUNDS]
TEXT += [("text", "tint"), ("text-2", "tint"), ("on-lamp", "lamp"), ("on-lamp", "lamp-hi"), ("on-danger", "danger")]
SIGNS = [(sign, ground) for sign in ("lamp", "control") for ground in GROUNDS]


def test_colours_have_the_contrast_of_wcag_aa():
    wanted = chain(((pair, 4.5) for pair in TEXT), ((pair, 3) for pair in SIGNS))
    asked = [(theme, colours, *pair, least) for pair, least in wanted for theme, colours in themes().items()]
    assert [(theme, front, ground) for theme, colours, front, ground, least in asked
            if contrast(colours[front], colours[ground]) < least] == []  # fmt: skip


def test_the_plain_values_are_those_of_light_dark():
    source = (WWW / "css" / "tokens.css").read_text()
    plain, media = source.split("@media (prefers-color-scheme: dark)", 1)
    dark = media.split("@supports", 1)[0]
    for theme, part in (("light", plain), ("dark", dark)):
        values = dict(re.findall(r"--([\w-]+): (#\w{6});", part))
        assert [(theme, name) for name, colour in themes()[theme].items() if values.get(name) != colour] == []
