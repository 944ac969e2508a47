"""A long prompt → its sentences, each of which may be the request that a skill answers.

The vector of several hundred characters is near to everything they speak of and to nothing in particular. The mean of
the whole prompt's cosine and that of its nearest sentence gained 1.6 points of nDCG@10 on requests of several steps
(774 of them, 91.7 → 93.3) and 0.3 on long Chinese ones (85.9 → 86.2); other sets moved by less than 0.1. The nearest
sentence alone lost 0.6 on prompts with code, and leaving pasted code and logs out of the vector gained nothing.
"""

MIN_PROMPT_CHARS = 200  # a shorter query is one request
MIN_SENTENCE_CHARS = 15
MAX_SENTENCES = 12  # each costs a few milliseconds; of longer prompts the first ones, where people say what they want
_ENDS = frozenset(".!?;")  # before a space
_CJK_ENDS = frozenset("。！？；\n")


def split_sentences(text: str) -> list[str]:
    """The sentences of a long prompt; none where it is short or has but one."""
    if len(text) <= MIN_PROMPT_CHARS:
        return []
    sentences: list[str] = []
    start = 0
    for at, character in enumerate(text, start=1):
        is_end = character in _CJK_ENDS or (character in _ENDS and text[at : at + 1].isspace())
        if is_end or at == len(text):
            sentence = text[start:at].strip()
            if len(sentence) >= MIN_SENTENCE_CHARS:
                sentences.append(sentence)
            start = at
    return sentences[:MAX_SENTENCES] if len(sentences) > 1 else []
