"""Results of a series as files: JSON, CSV, the formats of hyperfine, and tables for documents."""
