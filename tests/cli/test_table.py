"""Tables of untrusted cells."""

from hub_index.cli.terminal import format_table


def test_one_long_cell_does_not_widen_every_row() -> None:
    """In a pipe the long cell stands whole, and the other rows stay short."""
    long = "x" * 300
    heading, short, wide = format_table(("ID", "WHAT"), [("a", "first"), (long, "second")], 1_000_000).splitlines()
    assert (heading, short) == (f"{'ID':<62}WHAT", f"{'a':<62}first")
    assert wide == f"{long}  second"
