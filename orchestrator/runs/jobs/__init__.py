"""Jobs of runs after dispatch: claims, releases, messages and their completion."""
