"""Ranks: processes that compute one model together. Rank 0 has the engine; the others repeat its executor's calls.

- `link`: a rank's connection to the others, and the messages of rank 0.
- `launch`: starting the others, and how each process gets its link.
- `ending`: what happens when a rank ends, fails or does not answer.
- `executor`: which calls are sent; on the other ranks, the loop that makes them.
- `tier`: blocks in stores, of which each rank has a part.

The collectives are below, in `ops/collectives.py` and `ops/network_group.py`; `serving/ray_ranks.py` launches with Ray.

Invariants:

- Rank 0 alone decides: no clock, memory or random number of another rank has any effect, but the sizes of pools, which
  are the least of all ranks.
- Each call of the executor that computes or changes state is sent to all ranks before rank 0 makes it, and every rank
  makes the calls in that order. So all enter the same collectives in the same order, and draw the same tokens: logits
  are gathered, and the sampler's hash depends on seeds and positions alone.
- A call is not interrupted in its middle: Ctrl-C is raised after it. A rank that fails anywhere else ends all.
- No wait is without end: a rank waits for another only while that one lives and, once the pools exist, for at most
  TORCHPAGED_RANK_TIMEOUT seconds.
"""
