"""Words for how something is wanted, not what: they count in names, descriptions and keywords, little in bodies.

A long body holds "specific", "current" or "suggestion" somewhere, whatever it is about, and if few others do, the word
looks rare. It is no stop word: a skill that has it in its name means it. Written from a general knowledge of
English, without words that name something in the field (key, issue, task, order, request, plan, list) and without
times, places and quantities, which tools take. nDCG@10 by words alone / hybrid: metatool +1.0 / +0.5, skillprompts
+0.2 / +0.1, sealtools −0.15 / −0.1, others as they were.
"""

from hub_index.search.words.tokens import tokenize

GENERAL_SHARE = 0.3  # of a body's weight; none of it would be better for short questions, and worse for long prompts

_GENERAL = """
additional advanced amazing appropriate available awesome basic best better big bigger certain clear clearly common
complete completely comprehensive concise convenient correct correctly current currently detailed different difficult
diverse easily easy effective effectively efficient efficiently entire essential exact exactly excellent existing
extremely favorite final finally following full fully general good great happy hard helpful highly ideal important
initial interesting known latest likely little main major minimal necessary new next nice old overall particular past
perfect popular possible potential practical precise previous professional proper properly quick quickly quite real
realistic recent recently relevant reliable right robust second several similar simple simply special specific
specifically suitable sure together traditional typical unique upcoming useful usual various whole wide wonderful worth
wrong

advice aspect assistance benefit bit case couple detail details example examples fact focus friend goal guidance idea
ideas impact info information insight insights kind lot lots matter option options part piece problem purpose question
questions reason recommendation recommendations side sort start stuff suggestion suggestions thank thought tip tips
topic

across against almost along already although among around away back behind beside besides between beyond during either
enough especially even far hence however instead later less mainly meanwhile moreover near nearly neither never nobody
nothing often once otherwise perhaps rather since soon still sometimes therefore though thus till toward towards unless
until upon usually versus whatever whenever wherever whichever whoever aren isn doesn didn won couldn wouldn shouldn
haven hasn wasn weren two three four five per according based due dear guys okay yeah
"""

GENERAL_TOKENS = frozenset(tokenize(_GENERAL))
