"""An index for other programs: Parquet files, and `/.well-known/agent-skills/`."""
