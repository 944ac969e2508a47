"""The row of each skill in the page's data: its old one, so that an edit elsewhere moves nothing.

Removed skills leave holes, new ones fill them in the order of their ids, and the rest is appended.
"""

from collections.abc import Sequence


def assign_rows(ids: Sequence[str], previous: Sequence[str]) -> list[str]:
    """The id of each row; empty for a hole. `previous` is the last page's answer, or nothing."""
    wanted = set(ids)
    rows = [id_ if id_ in wanted else "" for id_ in previous]
    if len(set(rows) - {""}) != sum(map(bool, rows)):
        rows = []  # a previous page that names an id twice is not ours to trust
    new = sorted(wanted - set(rows))
    for row, id_ in enumerate(rows):
        if not id_ and new:
            rows[row] = new.pop(0)
    rows += new
    while rows and not rows[-1]:
        rows.pop()
    return rows
