"""Results to keep: reproducible results, leaderboards and games worth looking at."""
