"""Returns freed memory to the system after large work: the C library keeps it in its threads' pools.

A server that indexes the words of a changed hub again and again held 66 MB after twelve changes instead of some 40; a
build of 109,026 skills has 85 MB of read files in these pools when it begins to embed.
"""


def give_back_freed() -> None:
    """Hands unused pages to the system, if the C library has a call for it (glibc)."""
    import ctypes  # takes 10 ms, which a single search need not pay

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
