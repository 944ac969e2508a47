"""All skills as plain HTML, for browsers that run no script and for pages that are opened from a file."""

from collections.abc import Sequence
from html import escape

from hub_index.page.content import SkillPage

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; base-uri 'none'">
<title>Skills of {hub}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<main>
<h1>Skills of {hub}</h1>
<p>{count} skills. <a href="index.html">Search them</a>.</p>
<dl>
"""
_TAIL = "</dl>\n</main>\n</body>\n</html>\n"
_MAX_LISTED = 5_000  # a browser opens that in a moment; the search page lists the rest


def encode_plain_list(hub: str, skills: Sequence[SkillPage]) -> bytes:
    """The page's bytes; every word of the hub is escaped."""
    rows = [
        f"<dt>{escape(page.record.name)} <code>{escape(page.place)}</code></dt>\n"
        f"<dd>{escape(page.record.description)}</dd>\n"
        for page in skills[:_MAX_LISTED]
    ]
    if len(skills) > _MAX_LISTED:
        rows.append(f"<dt>… and {len(skills) - _MAX_LISTED} more</dt>\n")
    head = _HEAD.format(hub=escape(hub), count=len(skills))
    return (head + "".join(rows) + _TAIL).encode("utf-8", "replace")
