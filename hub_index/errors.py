"""Every error of hub-index, by its cause and by what a caller can do about it.

HubIndexError 1
├─ AnswerStopped 1      no answer in time, or it was cancelled
├─ ConfigError 2        a setting is missing or wrong; names the variable, never its value
│  └─ SkillUnknown 2    no skill of the open hubs, or no file of the skill, has this name
│     └─ SkillAmbiguous 2    more than one skill has this name; has the ids to choose from
├─ SourceError 3        repository or revision cannot be read
│  ├─ ShrinkRefused 3   far fewer skills than last time, without --allow-shrink
│  ├─ RisksRefused 3    changed skills bring risks, the hub refuses them, without --accept risks
│  └─ QualityRefused 3  labelled queries are answered worse than last time, without --accept quality
├─ SkillError 4         the skills have problems, and the caller asked to be stopped by them
├─ ProviderError 5
│  ├─ ProviderUnavailable     transient: retried
│  ├─ ProviderRefused         the request or the key is wrong: never retried
│  └─ ProviderBrokePromise    the answer cannot be trusted: never stored
├─ IndexUnusable 6
│  ├─ IndexMissing · IndexCorrupt (CopyDamaged) · IndexChanging · IndexTooNew
│  ├─ ModelMismatch · IndexStale · IndexUntrusted
└─ PublishError 7       disk, lock, git push
   ├─ PublishRace       another push came first: rebuild on the new head
   ├─ IndexBusy         another builder holds the folder
   └─ RemoteUnavailable git's network failed: worth another try
TracesUnusable 7        the record of searches and uses cannot be read or written; a search goes on without

A message says what, where and what next, in one line. `exit_code` is the process's exit code.
"""


class HubIndexError(Exception):
    """Anything hub-index reports to its user in one line."""

    exit_code = 1


class ConfigError(HubIndexError):
    exit_code = 2


class SkillUnknown(ConfigError):
    pass


class SkillAmbiguous(SkillUnknown):
    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates  # what to name instead; of very many the first


class AnswerStopped(HubIndexError):
    pass


class SourceError(HubIndexError):
    exit_code = 3


class ShrinkRefused(SourceError):
    pass


class QualityRefused(SourceError):
    pass


class RisksRefused(SourceError):
    pass


class SkillError(HubIndexError):
    exit_code = 4


class ProviderError(HubIndexError):
    exit_code = 5
    charged_tokens = 0  # of an answer that was refused: it is paid for all the same


class ProviderUnavailable(ProviderError):
    pass


class ProviderRefused(ProviderError):
    pass


class ProviderBrokePromise(ProviderError):
    pass


class IndexUnusable(HubIndexError):
    exit_code = 6


class IndexMissing(IndexUnusable):
    pass


class IndexCorrupt(IndexUnusable):
    @classmethod
    def at(cls, where: str, what: str) -> "IndexCorrupt":
        """The error in its usual words; `what` quotes untrusted text only by `repr`."""
        return cls(f"{where}: {what}; sync the hub again, or make the index anew with `hub-index build`")


class CopyDamaged(IndexCorrupt):
    pass


class IndexChanging(IndexUnusable):
    pass


class IndexTooNew(IndexUnusable):
    pass


class ModelMismatch(IndexUnusable):
    pass


class IndexStale(IndexUnusable):
    pass


class IndexUntrusted(IndexUnusable):
    pass


class PublishError(HubIndexError):
    exit_code = 7


class PublishRace(PublishError):
    pass


class IndexBusy(PublishError):
    pass


class RemoteUnavailable(PublishError):
    pass


class TracesUnusable(HubIndexError):
    exit_code = 7
