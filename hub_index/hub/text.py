"""Skill → the text that is embedded, and its hash: the last step of the hub's side, and the index's unit of reuse."""

import hashlib

from hub_index.base.characters import nfc
from hub_index.models import Skill, SkillText

TEXT_VERSION = 1  # the recipe below; another recipe needs another number


def embedding_text(skill: Skill) -> SkillText:
    """`name: N`, `description: D` and, where the author wrote them as a string, `keywords: K`; in NFC."""
    text = f"name: {skill.name.strip()}\ndescription: {skill.description.strip()}"
    keywords = skill.text_keywords.strip()
    if keywords:
        text += f"\nkeywords: {keywords}"
    text = nfc(text)
    return SkillText(text, hashlib.sha256(text.encode()).hexdigest())
