"""Whether a query is in another language than English: then an unknown word is a word of that language, and no typo."""

from hub_index.search.words.tokens import has_cjk

# Words that hold sentences together in German, Spanish, French, Portuguese, Italian, Dutch and Turkish, and are neither
# English words nor names of tools.
_WORDS = frozenset(
    """
aber auch auf aus bei das dass dem den der des die durch ein eine einen einer eines fur gibt habe ich ist kann kein
mein meine mich mir mit nach nicht oder sich sind soll uber und vom von wann warum wenn werden wie wird wo zu zum zur
al como con cual cuando de del desde donde el ella en entre es esta este hacer hacia hay la las lo los mi mis para pero
por puedo que quiero se si sin sobre son su sus tengo un una unas unos y yo
au aux avec ce ces cette comment dans des du elle est et faire il je le les leur ma mes mon ne nos notre nous ou par
pas plus pour pourquoi puis quand quel quelle qui quoi sans ses sont sur ta tes trop une vers vos votre vous
ao aos com da das do dos ele ela em eu fazer foi isso mais meu meus minha nao nas nem no nos nossa num o os ou pela
pelo quais qual quero sao sem ser seu sua tem um uma voce
che chi ci come cosa delle degli della dello di dove fare gli ho il mio nel nella non per perche piu quale sono sul
sulla tra un uno voglio
aan bij dit een heb het hoe ik kan maar met mijn naar niet ook op te uit van voor waar wat wel wil zijn
bir bu icin ile mi nasil ve
""".split()
)
_ALSO_ENGLISH = frozenset(
    "al come con den die do el es il kan la me mi met no nos op os par per plus se si son sur te um uno via".split()
)
FOREIGN_WORDS = _WORDS - _ALSO_ENGLISH


def is_foreign(text: str) -> bool:
    """True for a text with a word, or a Latin letter, that English has not."""
    words = text.lower().split()
    if any(word.strip(".,;:!?\"'()") in FOREIGN_WORDS for word in words):
        return True
    return (
        not text.isascii()
        and not has_cjk(text)
        and any(c.isalpha() and ord(c) < _LATIN_END for c in text if not c.isascii())
    )


_LATIN_END = 0x0250
