"""Database: engine, models, migrations, codecs of curves and timings."""
