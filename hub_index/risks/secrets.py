"""Secrets in a text: a service's own form, enough disorder, and none of the words and rows of a made-up example."""

import itertools
import re
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Iterator
from math import log2

from hub_index.risks.rules import SecretRule, read_secret_rules

_MAX_ASKED = 500  # candidates of one rule in one text: more is a table of examples, and each costs some microseconds
_MADE_UP = re.compile(
    r"example|sample|placeholder|redacted|changeme|change[_-]?this|replace|insert|dummy|fake|mock|your|my[_-]|test"
    r"|demo|todo|secret|password|token[_-]|api[_-]?key|xxx|\*\*\*|\.\.\.|…|0000|1111|1234|abcd|qwerty|asdf|aaaa"
    r"|s3cr3t|p[a@]ssw|k3y|abc123|publishable|^pk_|deadbeef|cafebabe|foobar|process\.env|os\.environ|getenv|config\.|settings\.|self\.|this\.|-here|_here",
    re.IGNORECASE,
)
_MADE_UP_LONG = re.compile(  # of a long random text, four equal or rising signs are chance
    r"example|sample|placeholder|redacted|changeme|dummy|your[_-]|fake|xxxx|\*\*\*\*|\.\.\.|…|12345678|abcdefgh|00000000"
    r"|aaaaaa",
    re.IGNORECASE,
)
_SAMPLE_TOKENS = ("SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c", "IjEyMzQ1Njc4OTAi", "InN1YiI6IjEyMzQ1Njc4OTAi",
                  "eyJzdWIiOiIxMjM0NTY3ODkw", "supabase-demo", "InN1cGFiYXNlLWRlbW8i")  # fmt: skip
_WORDY = re.compile(r"[a-z]{4,}(?:[_-][a-z0-9]{2,}){2,}|(?:[a-z]+\.)+[a-z]+", re.IGNORECASE)
_PATH = re.compile(
    r"^[\w.@~-]*(?:/[\w.@~-]+){2,}$|https?:|\.(?:com|org|io|json|md|py|js|ts|sh|txt|yaml|yml|pem|toml)\b"
)
_DIGEST = re.compile(r"(?:0x)?(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27})")  # a commit, a sum, a uuid
_PUBLIC = re.compile(  # ids, and addresses of coins, that are called tokens
    r"(?:contract|mint|address|page|next|continuation|sync|cursor|public|file|folder|doc|sheet|wiki|obj|node|image|media"
    r"|base|design|spl|send|app)[\w-]{0,12}$",
    re.IGNORECASE,
)
_COIN_ADDRESS = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
_SIGNED_ADDRESS = re.compile(
    r"(?:KeyId|Credential)=$"
)  # of a download that is signed for an hour; the id alone opens nothing
_CODE = re.compile(r"[A-Za-z_]\w*\.[A-Za-z_]\w*(?:\.\w+)*")  # a name in a program
_ANONYMOUS = (b'"role":"anon"', b'"role": "anon"')  # a key that its service hands to every visitor


def find_secrets(text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and fixed beginning of each secret; of overlapping ones the first rule's."""
    taken: set[int] = set()
    for rule in read_secret_rules():
        if not rule.may_match(text, lowered):
            continue
        for asked, match in enumerate(rule.pattern.finditer(text)):
            if asked == _MAX_ASKED:
                break
            start, end = _value_span(match)
            if start not in taken and _is_real(rule, text[max(0, match.start() - 24) : start], text[start:end]):
                taken.update(range(start, end))
                yield start, end, _beginning(rule, text[start:end])


def _value_span(match: re.Match[str]) -> tuple[int, int]:
    return match.span("value") if "value" in match.re.groupindex else match.span()


def _beginning(rule: SecretRule, value: str) -> str:
    return next((begin for begin in rule.begins if value.startswith(begin)), "")


def _is_real(rule: SecretRule, before: str, value: str) -> bool:
    beginning = _beginning(rule, value)
    rest = value[len(beginning) :]
    made_up = _MADE_UP if rule.is_general else _MADE_UP_LONG
    if made_up.search(rest) or any(sample in value for sample in _SAMPLE_TOKENS):
        return False
    if sum(map(str.isdigit, rest)) < rule.digits or sum(map(str.isalpha, rest)) < rule.letters:
        return False
    if rule.is_general and not _is_general_secret(before, rest):
        return False
    if _SIGNED_ADDRESS.search(before) or (beginning == "eyJ" and _is_anonymous(value)):
        return False
    return _entropy(rest) >= rule.least_entropy and _disorder(rest) > 0.5


def _is_general_secret(before: str, value: str) -> bool:
    """Whether a value that only its name calls secret is one: no path, word, code, digest, id or coin's address."""
    name = before.rstrip("\"'`*:= \t-")
    is_token = name.lower().endswith("token")
    if _WORDY.search(value) or _PATH.search(value) or _CODE.fullmatch(value) or value.startswith("0x"):
        return False
    return not (is_token and (_PUBLIC.search(name) or _DIGEST.fullmatch(value) or _COIN_ADDRESS.fullmatch(value)))


def _is_anonymous(token: str) -> bool:
    """Whether a signed token says that its bearer is nobody in particular."""
    payload = token.split(".")[1]
    try:
        text = urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
    except ValueError:
        return False
    return any(mark in text for mark in _ANONYMOUS)


def _entropy(text: str) -> float:
    """Shannon's, in bits a character."""
    counts = Counter(text)
    return -sum(n / len(text) * log2(n / len(text)) for n in counts.values()) if text else 0.0


def _disorder(text: str) -> float:
    """The share of characters that neither repeat nor follow the one before: low in `aaaa` and `abcd1234`."""
    pairs = list(itertools.pairwise(text))
    return sum(abs(ord(a) - ord(b)) > 1 for a, b in pairs) / len(pairs) if pairs else 0.0


_MASKED = re.compile(
    r"(?i)(?:bearer|basic)\s+\S+|(?<=-u )\S+|(?<=://)[^\s/@]{1,200}:[^\s/@]{1,200}(?=@)"
    r"|(?:passw(?:or)?d|pwd|token|secret|api[_-]?key|credential)[\w-]{0,20}[\"']?\s{0,3}[=:]\s{0,3}[\"']?\S+"
    r"|[A-Za-z0-9+_=-]{20,}"
)


def mask_secrets(text: str) -> str:
    """The text with `•` for each character of what may be a secret, real or made up, so that places stay."""
    pieces = [match.span() for match in _MASKED.finditer(text)]
    for rule in read_secret_rules():
        pieces += [match.span() for match in rule.pattern.finditer(text)]
    for start, end in pieces:
        text = f"{text[:start]}{'•' * (end - start)}{text[end:]}"
    return text
