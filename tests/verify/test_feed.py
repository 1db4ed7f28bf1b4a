import numpy as np
import pytest

from torch2ms.verify.feed import Feed


def test_equal_seeds_give_equal_streams():
    a, b = Feed(3), Feed(3)
    assert np.array_equal(a.uniform((2, 3)), b.uniform((2, 3)))
    assert np.array_equal(a.permutation(9), b.permutation(9))
    assert not np.array_equal(Feed(3).normal(50), Feed(4).normal(50))


def test_an_extra_draw_of_another_count_shifts_nothing():
    a, b = Feed(0), Feed(0)
    a.uniform(7)
    a.normal(5)
    assert np.array_equal(a.uniform(5), b.uniform(5))


def test_draws_of_one_kind_and_count_differ_from_each_other():
    feed = Feed(0)
    assert not np.array_equal(feed.uniform(5), feed.uniform(5))


@pytest.mark.parametrize("replacement", [True, False])
def test_multinomial_follows_the_weights(replacement):
    weights = np.array([[0.0, 1.0, 3.0], [5.0, 0.0, 0.0]])
    feed = Feed(1)
    draws = np.stack([feed.multinomial(weights, 1, replacement) for _ in range(400)])
    assert (draws[:, 1, 0] == 0).all()
    assert (draws[:, 0, 0] > 0).all()
    assert 0.65 < (draws[:, 0, 0] == 2).mean() < 0.85


def test_multinomial_without_replacement_repeats_nothing():
    drawn = Feed(2).multinomial(np.ones(6), 6, False)
    assert sorted(drawn.tolist()) == list(range(6))
