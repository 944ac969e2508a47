"""One SKILL.md's bytes → a Skill and its Problems; pure, layer by layer."""
