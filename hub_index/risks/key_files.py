"""A file of keys that is read, and something that is sent in the same line or in the few below it."""

import re
from collections.abc import Iterator

_LINES_BELOW = 6
_MAX_CHARS_BELOW = 1_200
_MAX_ASKED = 200
_KEY_FILE = (
    r"(?:\.ssh[/\\](?:id_(?:rsa|ed25519|ecdsa|dsa)|identity|\*|[\w-]{1,30}\.pem)(?!\.pub|[\w*]*\.pub)|\.ssh[/\\]?(?=[\s\"'`*)]|$)"
    r"|\.aws[/\\](?:credentials|config)"
    r"|application_default_credentials|\.config/gcloud|\.azure/\w|\.kube/config|\.netrc\b|\.git-credentials|\.pypirc\b|\.npmrc\b"
    r"|\.docker/config\.json|/etc/shadow|\.gnupg\b|gh/hosts\.yml|\.claude/\.credentials|\.codex/auth\.json|wallet\.dat"
    r"|login\.keychain|find-generic-password|\.bash_history|\.zsh_history|chrome[^\n]{0,60}(?:login data|cookies)"
    r"|cookies\.sqlite|keystore/utc|\.config/solana/id\.json)"
)
_READ = re.compile(
    r"(?:\b(?:cat|head|tail|base64|xxd|gzip|zip|tar|cp|grep|find|jq|strings|less|more|type|get-content|gc|open|read\w*|load|copy|"
    r"collect|include|attach|contents?|security|path|expanduser|sed|awk|dd|fs|walk|glob|harvest|gather|upload|send|post)\b"
    r"|[@<]|读取|复制|收集|打开|获取)[^\n]{0,120}?" + _KEY_FILE
)
_SEND = re.compile(
    r"\bcurl\b[^\n]{0,300}(?:\s-(?:d|f|t)\b|--data|--form|--upload-file|-x\s?(?:post|put)|--json|\$\(|`)|\bwget\b[^\n]{0,200}--post"
    r"|\b(?:requests|httpx|axios|session|client)\.(?:post|put)|\bfetch\([^\n]{0,200}|\burlopen\(|\bhttp\.request|\.sendall?\("
    r"|\binvoke-(?:webrequest|restmethod)\b|\biwr\b|\birm\b|\b(?:nc|ncat|netcat)\s|\bscp\s(?!-i)|\brsync\s[^\n]{0,120}:"
    r"|\bsendmail\b|\bmail\s-s|/dev/tcp/|\bsmtp|xmlhttprequest|sendbeacon|\b(?:post|send|upload|submit|transmit|exfiltrate|"
    r"forward|email|attach|put)(?:s|ing)?\b[^\n.]{0,80}?(?:https?://|webhook|to\s+(?:the|our|this|an?|me)\s+\w|@)"
    r"|(?:发送|上传|提交|传送|发)(?:到|至|给)|\baws\s+s3\s+cp\b|\bgsutil\s+cp\b|nslookup|\bdig\s"
)
_USES = re.compile(
    r"(?:\s-i|ssh-add|ssh-keygen|chmod|ls|mkdir|touch|identityfile|ssh-copy-id|>>?|grep\s+-q|test\s+-\w|\[\s+-\w|tee|vim?|nano)\s*\S{0,40}$"
)
_ENVIRONMENT = re.compile(
    r"(?:\b(?:env|printenv|export\s+-p|set)\s*\|\s*(?:base64\S*\s*(?:-\w+\s*\d*\s*)?\|\s*)?(?:curl|nc|wget|ncat)\b"
    r"|\b(?:curl|wget|nc)\b[^\n]{0,200}(?:\$\(|`)\s*(?:env|printenv|export -p)\b"
    r"|(?:post|put|fetch)\([^\n]{0,200}(?:dict\(os\.environ\)|json\.dumps\(dict\(os\.environ"
    r"|json\.stringify\(process\.env\)|"
    r"(?:json|data)\s*=\s*os\.environ\b)"
    r"|\bcurl\b[^\n]{0,200}(?:@|\$\(cat\s+|`cat\s+)\S{0,40}\.env\b"
    r"|\bcat\s+\S{0,40}\.env\S{0,12}\s*\|[^\n]{0,60}(?:curl|nc|wget)\b)"
)
_NAMES = (".ssh", ".aws", "default_credentials", ".config/", ".azure", ".kube", ".netrc", ".git-cred", ".pypirc",
          ".npmrc", ".docker/config", "/etc/shadow", ".gnupg", "hosts.yml", ".claude/.cred", ".codex", "wallet.dat",
          "login.keychain", "find-generic", "_history", "login data", "cookies", "keystore/utc")  # fmt: skip


def find_sent_keys(lowered: str) -> Iterator[tuple[int, int]]:
    """The places of reads that a send follows, and of environments that are sent whole."""
    if "env" in lowered:
        yield from (match.span() for match in _ENVIRONMENT.finditer(lowered))
    if not any(name in lowered for name in _NAMES):
        return
    for asked, match in enumerate(re.finditer(_KEY_FILE, lowered)):
        if asked == _MAX_ASKED:
            return
        start = lowered.rfind("\n", max(0, match.start() - 300), match.start()) + 1
        start = max(start, match.start() - 300)
        if _USES.search(lowered, start, match.start()) or not _READ.search(lowered, start, match.end()):
            continue
        if _SEND.search(_below(lowered, start, match.end())):
            yield match.span()


def _below(lowered: str, start: int, end: int) -> str:
    """From the line of a read to the last of the lines that belong to it."""
    stop = end
    for _ in range(_LINES_BELOW + 1):
        stop = lowered.find("\n", stop + 1, end + _MAX_CHARS_BELOW)
        if stop < 0:
            return lowered[start : end + _MAX_CHARS_BELOW]
    return lowered[start:stop]
