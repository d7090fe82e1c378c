"""The dashboard: server-rendered pages, charts from declarative specs, everything served by ourselves."""
