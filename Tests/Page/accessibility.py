"""What axe finds on a page."""

from axe_playwright_python.base import AXE_SCRIPT

# Of what is in order, one example of each kind is told: all of it would be most of the work.
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]},
    "resultTypes": ["violations"],
    # It would copy the style sheets into a document of its own, which Chromium takes for a breach of the policy. The one rule
    # that reads them is asked in test_static.py.
    "preload": False,
}


# What fades in has less contrast until it is there; what goes on for ever is not waited for.
AT_REST = """() => Promise.all(document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < Infinity)
    .map((one) => one.finished.catch(() => {}))).then(() => true)"""


def problems(page):
    """(rule, elements) for each rule that the page breaks, once it is at rest."""
    page.evaluate(AT_REST)
    # It stays there until the page is loaded anew.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate("rules => axe.run(rules)", RULES)["violations"]
    return [(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found]
