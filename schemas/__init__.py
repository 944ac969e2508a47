"""The published formats as JSON Schema 2020-12; installed as `hub_index.schemas`."""
