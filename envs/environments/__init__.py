"""Environments over any game: PettingZoo, Gymnasium, batches, learners and GPUs."""
