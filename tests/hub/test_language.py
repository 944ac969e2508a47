"""The language of a skill, by script and by common words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_index.hub.skill.language import detect_language


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Sorts old log files into folders when the disk is full.", "en"),
        ("Logs", "en"),
        ("按月份整理旧的日志文件", "zh"),
        ("用 Python 脚本把 PDF 转成 Markdown，支持表格识别", "zh"),
        ("Sorts logs. Triggers: 整理, 日志. Use it when the user asks to clean a folder of old files.", "en"),
        ("古いログファイルを月ごとに整理する", "ja"),
        ("ログ整理ツール", "ja"),
        ("오래된 로그 파일을 월별로 정리합니다", "ko"),
        ("Сортирует старые файлы журналов по месяцам", "ru"),
        ("يرتب ملفات السجل القديمة حسب الشهر", "ar"),
        ("Ταξινομεί παλιά αρχεία", "el"),
        ("จัดเรียงไฟล์บันทึกเก่า", "th"),
        ("Sortiert alte Dateien und ist für die Ordner mit dem Archiv", "de"),
        ("Trie les fichiers dans des dossiers pour le mois et la date", "fr"),
        ("Ordena los archivos de la carpeta para el mes y con una fecha", "es"),
        ("😀 ⚠️ 123", "und"),
        ("", "und"),
    ],
)
def test_language_by_script_and_common_words(description: str, expected: str) -> None:
    """Mixed Chinese and English goes by what most of it is; nothing to go by is `und`."""
    assert detect_language("" if expected == "und" else "8004", description) == expected


@given(st.text(), st.text())
def test_any_text_has_a_short_tag(name: str, description: str) -> None:
    """The answer is always two letters or `und`, and the same when asked again."""
    tag = detect_language(name, description)
    assert tag == "und" or len(tag) == 2
    assert detect_language(name, description) == tag
