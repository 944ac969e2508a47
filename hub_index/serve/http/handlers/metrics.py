"""The metrics for a monitor: requests by route and status, their times, the waiting ones. Prometheus text.

Labels are our own words only: routes as they are documented, never a path that a client chose.
"""

from collections import Counter

_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counters of one server, used on the event loop's thread only."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: dict[str, float] = {}
        self._counts: Counter[str] = Counter()

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Adds one request that was answered."""
        self.requests[method, route, status] += 1
        self._counts[route] += 1
        self._seconds[route] = self._seconds.get(route, 0.0) + seconds
        for bucket_s in _BUCKETS_S:
            if seconds <= bucket_s:
                self._buckets[route, bucket_s] += 1

    def encode(self, gauges: dict[str, float]) -> str:
        """All of it as Prometheus reads it; `gauges` are what only the server knows, by name."""
        lines = ["# TYPE hub_index_requests_total counter"]
        for (method, route, status), count in sorted(self.requests.items()):
            lines.append(f'hub_index_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}')
        lines.append("# TYPE hub_index_request_seconds histogram")
        for route, count in sorted(self._counts.items()):
            lines.extend(
                f'hub_index_request_seconds_bucket{{route="{route}",le="{edge_s:g}"}} {self._buckets[route, edge_s]}'
                for edge_s in _BUCKETS_S
            )
            lines.append(f'hub_index_request_seconds_bucket{{route="{route}",le="+Inf"}} {count}')
            lines.append(f'hub_index_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'hub_index_request_seconds_count{{route="{route}"}} {count}')
        for name, number in sorted(gauges.items()):
            lines.extend((f"# TYPE hub_index_{name} gauge", f"hub_index_{name} {number:g}"))
        return "\n".join(lines) + "\n"
