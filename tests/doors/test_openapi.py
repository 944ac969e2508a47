"""`/openapi.json` is true: every operation that it lists is called, and answers in the shape that it says."""

import json
from typing import Any
from urllib.parse import quote, urlencode

import jsonschema
import pytest
from support.servers.serving_world import ServingWorld

VALUES = {"id": "ann/db", "path": "references/guide.md", "model": "usem3", "q": "database", "skill": "ann/db"}
BODIES: dict[str, Any] = {
    "/search": {"query": "database", "k": 2},
    "/rpc": {"jsonrpc": "2.0", "id": 1, "method": "index.status"},
    "/v1/embeddings": {"model": "usem3", "input": "a"},
}
EXAMPLES = {
    "k": "2",
    "hub": "odd",
    "type": "skill",
    "lang": "en",
    "since": "2020",
    "mode": "keyword",
    "max_tokens": "500",
    "limit": "5",
    "start": "1",
    "end": "3",
    "context": "1",
    "context_lines": "1",
    "include_text": "true",
    "explain": "true",
    "snippets": "false",
    "recency": "true",
    "diverse": "true",
    "min_score": "-5",
    "min_confidence": "0",
    "fusion": "rrf",
    "alpha": "0.5",
    "stream": "ndjson",
}


@pytest.fixture(scope="module")
def document(odd: ServingWorld) -> dict[str, Any]:
    found: dict[str, Any] = odd.ask("GET", "/openapi.json").value
    return found


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, item) for path, found in document["paths"].items() for method, item in found.items()]


def resolve(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with the document's own definitions beside it."""
    return {**schema, "components": document["components"]}


def call(world: ServingWorld, path: str, method: str, query: dict[str, str]) -> Any:
    for name in ("id", "path", "model"):
        path = path.replace(f"{{{name}}}", quote(VALUES[name], safe="/" if name == "path" else ""))
    target = f"{path}?{urlencode(query)}" if query else path
    if method == "post":
        return world.post(target, BODIES[path])
    return world.ask(method.upper(), target)


def test_every_operation_answers_as_the_document_says(odd: ServingWorld, document: dict[str, Any]) -> None:
    """With all that is required; the answer's type and shape are listed."""
    assert document["openapi"] == "3.1.0"
    assert len(operations(document)) >= 14
    for path, method, item in operations(document):
        needed = [
            parameter["name"]
            for parameter in item["parameters"]
            if parameter["in"] == "query" and parameter["required"]
        ]
        reply = call(odd, path, method, {name: VALUES[name] for name in needed})
        assert reply.status == 200, (path, reply.body)
        content = item["responses"]["200"]["content"]
        media_type = reply.headers["content-type"].partition(";")[0]
        assert media_type in content, path
        if media_type == "application/json":
            jsonschema.validate(json.loads(reply.body), resolve(document, content[media_type]["schema"]))
        if needed:
            refused = call(odd, path, method, {})
            jsonschema.validate(
                refused.value,
                resolve(document, item["responses"]["default"]["content"]["application/problem+json"]["schema"]),
            )


def test_every_parameter_that_is_listed_is_taken(odd: ServingWorld, document: dict[str, Any]) -> None:
    """One by one, with a value of its kind."""
    for path, method, item in operations(document):
        known = {parameter["name"]: parameter for parameter in item["parameters"] if parameter["in"] == "query"}
        needed = {name: VALUES[name] for name, parameter in known.items() if parameter["required"]}
        for name in known.keys() & EXAMPLES.keys():
            reply = call(odd, path, method, needed | {name: EXAMPLES[name]})
            assert reply.status == 200, (path, name, reply.body)


def test_only_what_is_served_is_listed(odd: ServingWorld, document: dict[str, Any]) -> None:
    """And everything that is served is, but for what is not OpenAPI's to describe."""
    assert "/v1/embeddings" in document["paths"]
    assert "/search" in document["paths"]
    for path in document["paths"]:
        assert odd.ask("PUT", path.replace("{", "").replace("}", "")).status == 405


def test_limits_stand_in_the_document(document: dict[str, Any]) -> None:
    """A client sees how many hits, tokens and characters it may ask for, in the path's query and in a body."""
    search = document["paths"]["/search"]
    asked = {parameter["name"]: parameter["schema"] for parameter in search["get"]["parameters"]}
    body = search["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    for k, budget, cursor in (
        (asked["k"], asked["max_tokens"], asked["cursor"]),
        (body["k"], body["max_tokens"], body["cursor"]),
    ):
        assert (k["minimum"], k["maximum"]) == (1, 1000)
        assert (budget["minimum"], budget["maximum"]) == (50, 1_000_000)
        assert cursor["maxLength"] == 1024
