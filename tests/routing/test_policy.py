"""PrefixIndex and Policy, against simple models of them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from torchpaged.kv_cache.block_pool import BlockContent, BlockPool
from torchpaged.routing.policy import Assignment, Policy, Prompt
from torchpaged.routing.prefix_index import PrefixIndex


def names(*letters: str) -> list[bytes]:
    """Return a published hash for each letter."""
    return [letter.encode().ljust(8, b".") for letter in letters]


@pytest.mark.parametrize("seed", range(6))
def test_the_index_has_what_simple_sets_have(seed: int) -> None:
    draw = random.Random(seed)
    index, published, expected = PrefixIndex(11, patience=5.0), [set() for _ in range(11)], [{} for _ in range(11)]
    pool = names(*"abcdefghijklmnop")
    for now in range(400):
        replica, some = draw.randrange(11), draw.sample(pool, draw.randrange(6))
        kind = draw.choice(("publish", "expect", "expire", "forget", "look"))
        if kind == "publish":
            gone = [each for each in published[replica] if draw.random() < 0.3]
            some = [each for each in some if each not in gone]
            index.publish(replica, some, gone)
            published[replica] = (published[replica] - set(gone)) | set(some)
            for each in some:
                expected[replica].pop(each, None)
        elif kind == "expect":
            index.expect(replica, some, float(now))
            expected[replica].update({each: now for each in some if each not in published[replica]})
        elif kind == "expire":
            index.expire(float(now))
            expected = [{each: at for each, at in found.items() if now - at < 5} for found in expected]
        elif kind == "forget" and draw.random() < 0.2:
            index.forget(replica)
            published[replica], expected[replica] = set(), {}
        index.check()
        chain = draw.sample(pool, draw.randrange(9))
        known = [published[each] | expected[each].keys() for each in range(11)]
        depths = [next((i for i, each in enumerate(chain) if each not in held), len(chain)) for held in known]
        assert index.depths(chain).tolist() == depths


def policy(count: int = 3, **options: int) -> Policy:
    """Return a policy whose replicas are all open."""
    made = Policy(count, **options)
    made.is_open[:] = True
    return made


def test_a_late_replica_gets_what_no_other_can_take() -> None:
    routing = policy(2)
    routing.is_late[0] = True
    chosen = [routing.choose(Prompt(10), 0.0) for _ in range(2)]
    routing.is_open[1] = False
    chosen += [routing.choose(Prompt(10), 0.0), routing.choose(Prompt(10), 0.0, without=[0])]
    assert [each and each.replica for each in chosen] == [1, 1, 0, None]


def test_a_second_question_goes_where_the_first_was_and_not_if_that_one_is_busy() -> None:
    routing = policy()
    chain = names(*"abcd")
    first = routing.choose(Prompt(70, chain), 0.0)
    assert first is not None and first.num_cached == 0
    routing.begun(first)
    routing.ended(first)
    second = routing.choose(Prompt(75, chain), 1.0)
    assert second is not None and (second.replica, second.num_cached, second.num_waiting) == (first.replica, 64, 11)
    # 1,000 tokens wait there: computing 64 anew elsewhere is sooner.
    busy = routing.choose(Prompt(1064, chain), 1.0)
    assert busy is not None and busy.replica == first.replica
    third = routing.choose(Prompt(75, chain), 2.0)
    assert third is not None and third.replica != first.replica
    routing.check()


def test_one_common_prefix_does_not_gather_all_requests() -> None:
    routing = policy(4)
    chain = names(*"abcdefgh")
    replicas = [routing.choose(Prompt(200, chain), float(i)) for i in range(40)]
    counts = np.bincount([each.replica for each in replicas if each is not None], minlength=4)
    assert counts.max() <= 1.5 * counts.mean()


def test_all_cached_still_computes_one_token_and_closed_replicas_get_nothing() -> None:
    routing = policy(2)
    chain = names(*"ab")
    first = routing.choose(Prompt(32, chain), 0.0)
    assert first is not None
    routing.ended(first)
    again = routing.choose(Prompt(32, chain), 0.0)
    assert again is not None and (again.num_cached, again.num_waiting) == (31, 1)
    other = routing.choose(Prompt(32, chain), 0.0, without=[again.replica])
    assert other is not None and other.replica != again.replica
    routing.is_open[other.replica] = False
    last = routing.choose(Prompt(32), 0.0)
    assert last is not None and last.replica == again.replica
    assert routing.choose(Prompt(32), 0.0, without=[again.replica]) is None
    routing.is_open[:] = False
    assert routing.choose(Prompt(32, chain), 0.0) is None


def test_a_session_stays_where_it_was_if_its_blocks_are_not_known() -> None:
    routing = policy(5)
    first = routing.choose(Prompt(100, session="a"), 0.0)
    assert first is not None
    routing.ended(first)
    for _ in range(3):
        again = routing.choose(Prompt(120, session="a"), 0.0)
        assert again is not None and again.replica == first.replica
        routing.ended(again)
    other = routing.choose(Prompt(120, session="b"), 0.0)
    assert other is not None and other.replica != first.replica


@pytest.mark.parametrize("seed", range(4))
def test_counts_fit_after_any_course(seed: int) -> None:
    draw, routing = random.Random(seed), policy(7)
    live: list[Assignment] = []
    for now in range(300):
        if draw.random() < 0.6:
            chain = names(*draw.sample("abcdefgh", draw.randrange(6)))
            found = routing.choose(Prompt(draw.randrange(1, 200), chain), float(now), draw.sample(range(7), 2))
            assert found is not None
            live.append(found)
        elif live:
            chosen = live.pop(draw.randrange(len(live)))
            for _ in range(draw.randrange(3)):
                routing.begun(chosen)
            routing.ended(chosen)
        routing.check()
    for chosen in live:
        routing.ended(chosen)
    assert not routing.requests.any() and not routing.waiting.any() and not routing.running.any()


@pytest.mark.parametrize("seed", range(4))
def test_a_reader_of_the_journal_knows_what_the_pool_has(seed: int) -> None:
    draw, pool = random.Random(seed), BlockPool(20)
    journal, held, known, epoch, number = pool.journal(), [], set(), "", 0
    for turn in range(300):
        if draw.random() < 0.5 and (taken := pool.allocate(1)):
            content = bytes([draw.randrange(30)]) * 32
            pool.remember(taken[0], BlockContent(content, b"", draw.randrange(2), ()))
            held += taken
        elif held:
            pool.release([held.pop(draw.randrange(len(held)))])
        if turn == 150:
            pool.restore([held])
        if draw.random() < 0.3:
            found = journal.since(epoch, number)
            known = set() if found.is_whole else known
            known = (known | set(found.added)) - set(found.removed)
            epoch, number = found.epoch, found.number
            assert known == {block.content.hash for block in pool.blocks if block.content and not block.content.group}
        pool.check()
    last = journal.since(epoch, number)
    assert journal.since(epoch, last.number + 1).is_whole and not journal.since(epoch, last.number).added
