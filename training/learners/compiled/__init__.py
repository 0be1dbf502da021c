"""Compiled learner: PPO whose first layer, choices, losses and optimiser are compiled; torch multiplies the rest."""
