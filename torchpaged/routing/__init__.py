"""The router: one address for several servers of the same model, each request to the one that computes it soonest."""
