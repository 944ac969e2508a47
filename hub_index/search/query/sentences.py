"""A long prompt → its sentences; each may be the request that a skill answers.

The vector of several hundred characters is near to everything they speak of and to nothing in particular. With three
tenths of the nearest sentence's cosine beside seven of the whole prompt's, nDCG@10 by meaning alone goes from 60.0 to
71.7 on requests of several steps and from 31.5 to 31.6 on long prompts with code; with half of it to 76.5, but 31.1.
The nearest sentence alone lost more, and leaving pasted code and logs out of the vector gained nothing.
"""

MIN_PROMPT_CHARS = 200  # a shorter query is one request
MIN_SENTENCE_CHARS = 15
MAX_SENTENCES = 12  # each costs a few milliseconds; of longer prompts the first ones, where people say what they want
ENDS = frozenset(".!?;")  # before a space
CJK_ENDS = frozenset("。！？；\n")


def split_sentences(text: str) -> list[str]:
    """The sentences of a long prompt; none if it is short or has but one."""
    if len(text) <= MIN_PROMPT_CHARS:
        return []
    sentences: list[str] = []
    start = 0
    for at, character in enumerate(text, start=1):
        is_end = character in CJK_ENDS or (character in ENDS and text[at : at + 1].isspace())
        if is_end or at == len(text):
            sentence = text[start:at].strip()
            if len(sentence) >= MIN_SENTENCE_CHARS:
                sentences.append(sentence)
            start = at
    return sentences[:MAX_SENTENCES] if len(sentences) > 1 else []
