"""The skills, questions and messages of the hubs of `benchmarks.recorded_hubs`; small, and made up."""

from typing import Any

SKILLS = {
    "db-advisor": ("Analyze slow queries and index usage of a database.", "Read pg_stat_statements, then EXPLAIN."),
    "slide-deck": ("Make PowerPoint slides from an outline.", "Write an outline and export a deck as pptx."),
    "pdf-toolbox": ("Merge, split and fill PDF files.", "Use qpdf; forms need their own fonts."),
    "go-server": ("Write a small HTTP server in Go.", "Listen on a port, answer in JSON."),
    "csv-cleaner": ("Clean CSV tables: dates, decimals, encodings.", "Guess the separator first."),
    "team/release-notes": ("Write release notes from commits.", "Group the commits by kind."),
    "shujuku-youhua": ("分析慢查询，优化数据库索引。", "先看执行计划，再加索引。"),
    "ppt-zhizuo": ("根据大纲制作演示文稿。", "先写大纲，再导出。"),
}
PROBLEMS = {
    "no-name": "---\ndescription: Has a description alone.\n---\n# Body\n",
    "no-description": "---\nname: no-description\n---\n# Body\n",
    "no-frontmatter": "# Only a heading\n\nAnd a sentence about cats.\n",
    "unclosed": "---\nname: unclosed\ndescription: The block never ends.\n",
    "bad-yaml": "---\nname: bad-yaml\ndescription: a: b: c\ntags: [one, two\n---\nBody\n",
    "empty": "",
    "long": f"---\nname: long\ndescription: {'Very long. ' * 150}\n---\nBody\n",
    "Other-Case": "---\nname: other-case\ndescription: Its folder is spelled in another way.\n---\nBody\n",
    "hidden": "---\nname: hidden\ndescription: Has a zero\u200bwidth space and a bidi\u202e mark.\n---\nBody\n",
}
HOSTILE = {
    "esc\x1b[31mape": '---\nname: "red \\e[31m"\ndescription: "Prints \\e]0;title\\a to a terminal."\n---\nBody\n',
    "-rf": "---\nname: --help\ndescription: Looks like an option.\n---\nBody\n",
    "with space & $(touch x)": "---\nname: spaced\ndescription: Its folder holds shell's signs.\n---\nBody\n",
    "mark|down`[x](http://e.example)": "---\nname: '| a | b |'\ndescription: '<img src=x> **bold** @team'\n---\nBody\n",
    "ünïcödé-\u202egnihton": "---\nname: ünïcödé\ndescription: Letters with marks, and one that turns.\n---\nBody\n",
    "x" * 120: "---\nname: long-name\ndescription: Its folder has a very long name.\n---\nBody\n",
}
WORKFLOWS = {
    "workflows/release.md": "---\nname: release\ndescription: Cut a release of a package.\n---\n1. Tag.\n2. Publish.\n",
    "workflows/review/security.md": "---\ndescription: Review a change for security.\n---\nLook at inputs first.\n",
    "commands/summarize.md": "---\ndescription: Summarize a long text.\n---\nIn five sentences.\n",
}
QUERIES = ["slow database queries", "make slides", "merge two pdf files", "写发布说明", "clean a table"]
LABELS = ["db-advisor", "slide-deck", "pdf-toolbox", "team/release-notes", "csv-cleaner"]
CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "recorder", "version": "1"}}
MCP_CALLS: list[dict[str, Any]] = [
    {"id": 1, "method": "initialize", "params": CLIENT},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
    {"id": 3, "method": "resources/list"},
]
