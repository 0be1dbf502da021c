"""Training: settings, runs, imitation, networks and the policies that come of them."""
