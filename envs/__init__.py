"""Games as reinforcement-learning environments."""
