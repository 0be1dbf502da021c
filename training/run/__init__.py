"""Training runs: checkpoints, progress, evaluation and reports."""
