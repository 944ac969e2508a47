"""The search's numbers and word lists for the page's scripts: defined in Python, shipped in page.json."""

from hub_index.limits import (
    MAX_BODY_CHARS,
    MAX_PAGE_PHRASE_ROWS,
    MAX_QUERY_CHARS,
    MAX_QUERY_DEMAND_TERMS,
    MAX_QUERY_DEMANDS,
    MAX_QUERY_PREFIXES,
    MAX_QUERY_TERMS,
)
from hub_index.search.answer.hits import OFFERED_SHARE
from hub_index.search.lexical import matching, paste, spelling, synonyms
from hub_index.search.lexical.translation import gloss_weights as formula
from hub_index.search.lexical.translation import segmentation, to_chinese
from hub_index.search.options import DEPTH
from hub_index.search.query import filters, prose, query, scanning, sentences
from hub_index.search.ranking import confidence, fusion
from hub_index.search.ranking.steps import cross_script
from hub_index.search.semantic.semantic import SENTENCE_SHARE
from hub_index.search.words.stopwords import CJK_CHARACTERS, CJK_WORDS, ENGLISH


def search_constants() -> dict[str, object]:
    """All constants, in the form of page.json."""
    return {
        "fusion": _fusion(),
        "otherScript": {
            "share": cross_script.SHARE,
            "nearest": cross_script.NEAREST,
            "least": cross_script.LEAST,
            "nearly": cross_script.NEARLY,
        },
        "confidence": _confidence(),
        "synonyms": _synonyms(),
        "limits": _limits(),
        "query": _query(),
        "prompt": _prompt(),
        "spelling": _spelling(),
        "translation": _translation(),
        "stopWords": {
            "english": sorted(ENGLISH),
            "cjkCharacters": sorted(CJK_CHARACTERS),
            "cjkWords": sorted(CJK_WORDS),
        },
    }


def _fusion() -> dict[str, float]:
    return {
        "lexicalWeight": fusion.LEXICAL_WEIGHT,
        "boundPower": fusion.BOUND_POWER,
        "nameBonus": fusion.NAME_BONUS,
        "depth": DEPTH,
    }


def _confidence() -> dict[str, object]:
    return {
        "strong": confidence.STRONG,
        "offeredShare": OFFERED_SHARE,
        "mostBeyond": confidence.MOST_BEYOND,
        "usualSizeLog": confidence.USUAL_SIZE_LOG,
        "leastSmallTalk": confidence.LEAST_SMALL_TALK,
        "bothLegs": _weights(confidence.BOTH_LEGS),
        "wordsAlone": _weights(confidence.WORDS_ALONE),
    }


def _weights(weights: confidence.Weights) -> dict[str, float]:
    return {
        "constant": weights.constant,
        "lexical": weights.lexical,
        "covered": weights.covered,
        "beyond": weights.beyond,
        "noneBeyond": weights.none_beyond,
        "oneBeyond": weights.one_beyond,
        "cjk": weights.cjk,
        "lexicalCjk": weights.lexical_cjk,
        "size": weights.size,
        "lexicalSize": weights.lexical_size,
        "cosine": weights.cosine,
        "cosineCjk": weights.cosine_cjk,
        "cosineSize": weights.cosine_size,
        "unknown": weights.unknown,
        "cosineUnknown": weights.cosine_unknown,
        "smallTalk": weights.small_talk,
    }


def _synonyms() -> dict[str, float]:
    return {
        "formWords": synonyms.MAX_FORM_WORDS,
        "knownShare": synonyms.KNOWN_SHARE,
        "termsRespelled": synonyms.MAX_TERMS_RESPELLED,
        "concepts": synonyms.MAX_CONCEPTS,
    }


def _limits() -> dict[str, float]:
    return {
        "queryChars": MAX_QUERY_CHARS,
        "queryTerms": MAX_QUERY_TERMS,
        "queryDemands": MAX_QUERY_DEMANDS,
        "queryDemandTerms": MAX_QUERY_DEMAND_TERMS,
        "queryPrefixes": MAX_QUERY_PREFIXES,
        "bodyChars": MAX_BODY_CHARS,
        "phraseRows": MAX_PAGE_PHRASE_ROWS,
        "expansions": matching.MAX_EXPANSIONS,
        "phraseWeight": matching.PHRASE_WEIGHT,
    }


def _query() -> dict[str, object]:
    return {
        "fields": dict(scanning.FIELDS),
        "filters": list(filters.FILTERS),
        "operators": list(scanning.OPERATORS),
        "quotes": dict(scanning.QUOTES),
        "signs": "".join(sorted(query.SIGNS)),
        "optionSigns": "".join(sorted(scanning.OPTION_SIGNS)),
        "maxNotices": scanning.MAX_NOTICES,
        "days": list(filters.DAYS),
        "shownChars": filters.MAX_SHOWN_CHARS,
        "shownPhraseChars": matching.MAX_SHOWN_CHARS,
        "prose": {
            "plainWords": prose.MAX_PLAIN_WORDS,
            "cjkCharsAWord": prose.CJK_CHARS_A_WORD,
            "ends": list(prose.ENDS),
            "code": list(prose.CODE),
            "stressed": sorted(prose.STRESSED),
            "beforeNot": sorted(prose.BEFORE_NOT),
            "shown": prose.MAX_SHOWN,
            "shownChars": prose.MAX_SHOWN_CHARS,
        },
    }


def _prompt() -> dict[str, object]:
    return {
        "minPromptChars": sentences.MIN_PROMPT_CHARS,
        "minSentenceChars": sentences.MIN_SENTENCE_CHARS,
        "maxSentences": sentences.MAX_SENTENCES,
        "ends": "".join(sorted(sentences.ENDS)),
        "cjkEnds": "".join(sorted(sentences.CJK_ENDS)),
        "sentenceShare": float(SENTENCE_SHARE),
        "pastedWeight": paste.PASTED_WEIGHT,
        "plainShare": paste.PLAIN_SHARE,
        "bullets": list(paste.BULLETS),
        "traceback": paste.TRACEBACK,
    }


def _spelling() -> dict[str, object]:
    return {
        "minChars": spelling.MIN_CHARS,
        "minCharsTwoEdits": spelling.MIN_CHARS_TWO_EDITS,
        "maxChars": spelling.MAX_CHARS,
        "alphabet": spelling.ALPHABET,
        "scanned": spelling.MAX_SCANNED,
        "wordsMended": matching.MAX_WORDS_MENDED,
        "corrections": matching.MAX_CORRECTIONS,
    }


def _translation() -> dict[str, float]:
    return {
        "incomplete": formula.INCOMPLETE,
        "singleCharacter": formula.SINGLE_CHARACTER,
        "maxGlossIdf": formula.MAX_GLOSS_IDF,
        "boundPower": formula.BOUND_POWER,
        "wordChars": segmentation.MAX_WORD_CHARS,
        "glossWords": to_chinese.MAX_GLOSS_WORDS,
    }
