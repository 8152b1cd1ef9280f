"""What can be seen in the page's files without a browser."""

import gzip
import json
import re
from pathlib import Path

import html5lib
import pytest
import tinycss2

WWW = Path(__file__).resolve().parents[2] / "www"
SCRIPTS = sorted((WWW / "js").glob("*.js"))
STYLES = sorted((WWW / "css").glob("*.css"))
LANGUAGES = {path.stem: path for path in sorted((WWW / "i18n").glob("*.js"))}
ENTRY = re.compile(r'^    "([^"]+)": (.+),$', re.MULTILINE)
FORM = re.compile(r'(\w+): ("(?:[^"\\]|\\.)*")')


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


def test_the_html_is_strictly_right_and_ids_are_unique():
    document = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse((WWW / "index.html").read_text())
    ids = [element.get("id") for element in document.iter() if element.get("id")]
    assert len(ids) == len(set(ids))


def test_the_html_has_no_inline_script_or_style():
    document = html5lib.parse((WWW / "index.html").read_text(), namespaceHTMLElements=False)
    for element in document.iter():
        if not isinstance(element.tag, str):
            continue
        assert element.tag != "style"
        assert element.tag != "script" or (element.get("src") and not (element.text or "").strip())
        assert not [name for name in element.attrib if name.startswith("on") or name == "style"]


def test_the_plain_form_names_the_password_before_the_photos():
    document = html5lib.parse((WWW / "index.html").read_text(), namespaceHTMLElements=False)
    form = next(document.iter("form"))
    assert (form.get("action"), form.get("method")) == ("/api/photos", "post")
    assert form.get("enctype") == "multipart/form-data"
    assert [field.get("name") for field in form.iter("input")] == ["password", "photos"]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_make_no_markup_and_run_no_text(path):
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc"
    text_as_code = r"\beval\(|new Function|setTimeout\(['\"]"
    assert not re.search(f"{markup}|{text_as_code}", path.read_text())


@pytest.mark.parametrize("path", SCRIPTS + STYLES + [WWW / "index.html"], ids=lambda path: path.name)
def test_nothing_is_fetched_from_elsewhere(path):
    source = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE)
    addresses = re.findall(r"(?:https?:)?//[\w-]+\.[\w.-]+", source)
    assert [address for address in addresses if "www.w3.org" not in address] == []


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_style_sheets_parse(path):
    def check(rules):
        for rule in rules:
            assert rule.type != "error", (rule.source_line, rule.message)
            if rule.type == "qualified-rule":
                for part in tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True):
                    assert part.type != "error", (part.source_line, part.message)
            elif rule.type == "at-rule" and rule.content and rule.at_keyword in ("media", "supports"):
                check(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True))

    check(tinycss2.parse_stylesheet(path.read_text(), skip_comments=True, skip_whitespace=True))


def test_every_language_has_the_same_keys_and_placeholders():
    english = messages(LANGUAGES["en"])
    assert len(english) > 150
    for name, path in LANGUAGES.items():
        other = messages(path)
        assert other.keys() == english.keys(), name
        for key, forms in other.items():
            assert placeholders(forms) == placeholders(english[key]), (name, key)
            assert (None in forms) == (None in english[key]), (name, key)
            assert all(text for text in forms.values()), (name, key)


def test_counted_texts_have_every_form_of_their_language():
    for key, forms in messages(LANGUAGES["en"]).items():
        assert set(forms) in ({None}, {"one", "other"}), key
    for name in ("zh-Hans", "zh-Hant"):
        for key, forms in messages(LANGUAGES[name]).items():
            assert set(forms) in ({None}, {"other"}), (name, key)


def test_every_key_is_used_and_every_used_key_exists():
    source = "\n".join(path.read_text() for path in SCRIPTS)
    known = set(messages(LANGUAGES["en"]))
    built = {f"{stem}." for stem in re.findall(r"`([\w.]+)\.\$\{", source)}
    quoted = set(re.findall(r'"([\w.-]+)"', source)) | {f"{key}Note" for key in re.findall(r'"(add\.\w+)"', source)}
    unused = {key for key in known - quoted if not any(key.startswith(stem) for stem in built)}
    assert unused == set()
    used = set(re.findall(r'\bt\("([^"]+)"', source))
    assert used - known == set()


def test_icons_that_are_used_are_in_the_sprite():
    drawn = set(re.findall(r'<symbol id="icon-(\w+)"', (WWW / "icons.svg").read_text()))
    used = {name for path in SCRIPTS for name in re.findall(r'\bicon\("(\w+)"', path.read_text())}
    assert used and used <= drawn


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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_have_the_contrast_of_wcag_aa(theme):
    colours = themes()[theme]
    for pairs, least in ((TEXT, 4.5), (SIGNS, 3)):
        for front, ground in pairs:
            assert contrast(colours[front], colours[ground]) >= least, (front, ground)


def test_the_plain_values_are_those_of_light_dark():
    source = (WWW / "css" / "tokens.css").read_text()
    plain, media = source.split("@media (prefers-color-scheme: dark)", 1)
    dark = media.split("@supports", 1)[0]
    for theme, part in (("light", plain), ("dark", dark)):
        values = dict(re.findall(r"--([\w-]+): (#\w{6});", part))
        for name, colour in themes()[theme].items():
            assert values[name] == colour, (theme, name)


def test_the_page_stays_small():
    def packed(paths):
        return sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)

    assert packed(STYLES) <= 10_000
    assert packed(SCRIPTS) <= 60_000
    assert len((WWW / "icons.svg").read_bytes()) <= 8_000
