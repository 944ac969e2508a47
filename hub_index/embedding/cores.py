"""The number of texts that this machine can embed side by side."""

import os


def usable_cores() -> int:
    """Cores that this process may use: in a container or under taskset fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
