"""Windows-1250 and Windows-1252: the letters tell which of the two a file was written in."""

import pytest
from support.skill_reader import parse_text, read_skill, skill_md

CENTRAL = {
    "Polish": "Porządkuje stare pliki dziennika według miesięcy, gdy na dysku brakuje miejsca.",
    "Polish, short": "Usuwa zbędne pliki, które były użyte tylko raz.",
    "Polish capitals": "SZYBKIE PORZĄDKI: PRZENOSI PLIKI DO WŁAŚCIWYCH KATALOGÓW.",
    "Polish, dense": "Zażółć gęślą jaźń: żółta łódź, żółw i źdźbło.",
    "Czech": "Třídí staré záznamy do složek podle měsíce, když je disk plný.",
    "Czech pangram": "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    "Slovak": "Triedi staré súbory podľa mesiaca a zmaže všetko, čo už nie je potrebné, keď je deň za dňom plný.",
    "Hungarian": "Előkészíti a törlendő naplófájlokat, és időrendbe rakja a régieket.",
    "Hungarian, ű": "Egyszerű gyűjtemény készítése a szükséges könyvekből.",
    "Romanian": "Sortează fişierele vechi după lună şi şterge ce nu mai este folosit în această secţiune.",
    "Croatian": "Slaže stare datoteke po mjesecima i briše već riješene zadaće.",
}
WESTERN = {
    "German": "Prüft Rechnungen über größere Beträge und hängt die Übersicht für das Büro an.",
    "German, units": "Rechnet m³ in Liter um und prüft die Größe der Behälter.",
    "French": "Vérifie où sont les reçus, même après l’été, et prépare un résumé naïf à l’œil nu.",
    "Spanish": "¿Dónde está el niño? Ordena los ficheros del año pasado según su tamaño.",
    "Spanish ordinals": "Revisa el artículo 3º y la 2ª edición; ¡así de fácil!",
    "Portuguese": "Organiza as informações dos usuários e não deixa que as versões antigas se percam à noite.",
    "Danish": "Rydder op i gamle filer på computeren, når der ikke længere er plads til årets løn.",
    "Norwegian": "Søker i månedens bøker og viser å, ø og æ slik de ble skrevet.",
    "Swedish": "Räknar ihop årets utgifter och skickar en översikt på fredagar.",
    "Italian": "È più facile così: può ordinare i file perché sa già quali sono vecchi, e ciò è la virtù.",
    "Catalan": "Ordena els fitxers així que és possible, però només els més vells, i avisa l’usuària.",
    "Icelandic": "Raðar gömlum skrám eftir mánuði þegar lítið pláss er á diskinum.",
    "Dutch": "Controleert één voor één de coördinaten en de geïmporteerde foto’s in de ruïnes.",
    "English": "Résumé – the café’s naïve façade",
    "names": "Finds offices in København, Bogotá, São Paulo, Zürich and Malmö.",
}


def _content(description: str, encoding: str) -> bytes:
    return skill_md("name: tidy-logs", f"description: '{description.replace(chr(39), chr(39) * 2)}'").encode(encoding)


@pytest.mark.parametrize("language", CENTRAL)
def test_central_european_letters_are_read_as_windows_1250(language: str) -> None:
    """The letters arrive as they were typed, and the report names the encoding."""
    content = _content(CENTRAL[language], "cp1250")
    assert read_skill(content).description == CENTRAL[language]
    (problem,) = parse_text(content).problems
    assert problem.code == "not-utf-8"
    assert "it was read as Windows-1250" in problem.reason


@pytest.mark.parametrize("language", WESTERN)
def test_western_letters_stay_windows_1252(language: str) -> None:
    """No western language loses its letters to the other encoding."""
    content = _content(WESTERN[language], "cp1252")
    assert read_skill(content).description == WESTERN[language]
    assert "it was read as Windows-1252" in parse_text(content).problems[0].reason


def test_a_single_letter_is_no_evidence() -> None:
    """One `ø` in an English text is a name, not a Czech `ř`."""
    assert read_skill(_content("Books rooms in Tromsø.", "cp1252")).description == "Books rooms in Tromsø."


def test_a_broken_chinese_file_is_not_taken_for_polish() -> None:
    """Pairs of bytes of which one is lost are letters of no language."""
    content = _content("整理旧的日志文件，按月份放入文件夹。", "gb18030").replace("月".encode("gb18030"), b"\xd4", 1)
    assert "Windows" not in parse_text(content).problems[0].reason
