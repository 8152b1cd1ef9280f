"""Which cases of a test are part of `make test`, which of `make nightly`, and which of `make soak` alone."""

import pytest


def first(count, cases):
    """Of cases that find the same kind of fault, the first `count` in `make test`; each of the others costs a start of the
    daemon, and often of a page, and is part of `make soak`."""
    return [case if place < count else in_soak(case) for place, case in enumerate(cases)]


def in_soak(case):
    return marked(case, pytest.mark.soak)


def in_nightly(part, case):
    return marked(case, pytest.mark.nightly(part))


def marked(case, mark):
    values = getattr(case, "values", case if isinstance(case, tuple) else (case,))
    return pytest.param(*values, id=getattr(case, "id", None), marks=mark)
