"""The names of the published files; the names of parts are made in `parts.py`."""

MANIFEST_FILE = "index_manifest.json"
SIGNATURE_FILE = "index_manifest.json.sig"  # beside it where the hub's owner signs; no reader needs it
SKILLS_FILE = "skills.jsonl"
VECTOR_FILE = "vectors.f32"
