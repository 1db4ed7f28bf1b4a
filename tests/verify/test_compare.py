import numpy as np

from torch2ms.verify.compare import Tolerance, compare
from torch2ms.verify.trace import Trace


def trace(losses=(1.0, 0.5), weight=(1.0, 2.0), start=(0.0, 0.0), **facts):
    return Trace(
        losses=list(losses),
        steps=len(losses),
        backwards=len(losses),
        start={"Net#0/w": np.array(start)},
        final={"Net#0/w": np.array(weight)},
        gradients={"Net#0/w": 1.0},
        **facts,
    )


def test_equal_runs_agree():
    assert compare(trace(), trace(), Tolerance()).ok


def test_a_loss_outside_the_tolerance_is_found():
    result = compare(trace(), trace(losses=(1.0, 0.501)), Tolerance())
    assert not result.ok
    assert [row.ok for row in result.losses] == [True, False]


def test_a_weight_is_judged_by_how_far_it_moved():
    assert compare(trace(), trace(weight=(1.05, 2.0)), Tolerance()).ok
    assert not compare(trace(), trace(weight=(1.2, 2.0)), Tolerance()).ok
    assert not compare(trace(start=(0.99, 1.99)), trace(weight=(1.05, 2.0)), Tolerance()).ok


def test_missing_and_additional_weights_are_problems():
    other = trace()
    other.final = {"Net#0/v": np.array([1.0])}
    problems = compare(trace(), other, Tolerance()).problems
    assert any("Net#0/w is missing" in p for p in problems)
    assert any("Net#0/v exists only" in p for p in problems)


def test_a_training_flag_that_differs_is_a_problem():
    a, b = trace(flags=[{"Net#0/. training": True}]), trace(flags=[{"Net#0/. training": False}])
    assert "is True in PyTorch, False in MindSpore" in compare(a, b, Tolerance()).problems[0]


def test_a_null_direction_is_listed_but_not_judged():
    a, b = trace(), trace(weight=(5.0, 5.0))
    a.gradients = {"Net#0/w": 1e-9, "Net#0/x": 1.0}
    result = compare(a, b, Tolerance())
    assert result.ok
    assert "null direction" in result.ignored[0]


def test_nothing_to_compare_is_no_success():
    assert not compare(trace(losses=()), trace(losses=()), Tolerance()).ok


def test_a_failed_run_is_named():
    b = trace(losses=(1.0,), error="Traceback\nValueError: wrong")
    assert compare(trace(), b, Tolerance()).problems == ("the MindSpore run failed: ValueError: wrong",)


def test_a_trace_survives_its_file(tmp_path):
    path = tmp_path / "t.npz"
    a = trace(flags=[{"Net#0/. training": True}], end="finished")
    a.save(path)
    b = Trace.load(path)
    assert (b.losses, b.flags, b.end) == (a.losses, a.flags, a.end)
    assert np.array_equal(b.final["Net#0/w"], a.final["Net#0/w"])


def test_rounding_that_tips_single_elements_is_judged_by_the_mean_square():
    many = np.ones(400)
    tipped, elsewhere, all_off = many.copy(), many.copy(), many * 1.5
    tipped[3], elsewhere[7] = 2.0, 2.0

    def run(values):
        made = trace()
        made.start, made.final = {"Net#0/w": np.zeros(400)}, {"Net#0/w": values}
        return made

    assert not compare(run(many), run(elsewhere), Tolerance()).ok
    assert compare(run(many), run(elsewhere), Tolerance(), [run(tipped)]).ok
    assert not compare(run(many), run(all_off), Tolerance(), [run(tipped)]).ok
    # the larger of several disturbances counts
    assert compare(run(many), run(elsewhere), Tolerance(), [run(many), run(tipped)]).ok


def test_a_refusal_after_the_last_update_is_named_but_no_difference():
    refused = "Traceback\nNotImplementedError: torch.save was not converted"
    late = trace(error=refused, refused="torch.save")
    result = compare(trace(), late, Tolerance())
    assert result.ok and result.refusal == "torch.save"
    early = trace(losses=(1.0,), error=refused, refused="torch.save")
    result = compare(trace(), early, Tolerance())
    assert not result.ok and not result.refusal and "run failed" in result.problems[0]


def test_a_weight_is_found_under_the_wrapper_that_one_side_still_holds():
    wrapped, plain = trace(), trace(weight=(1.0, 2.0))
    wrapped.start = {"Wrapper#0/inner.w": wrapped.start["Net#0/w"]}
    wrapped.final = {"Wrapper#0/inner.w": wrapped.final["Net#0/w"]}
    assert compare(wrapped, plain, Tolerance()).ok and compare(plain, wrapped, Tolerance()).ok
    plain.final["Net#0/w"] = np.array((1.0, 3.0))
    assert not compare(wrapped, plain, Tolerance()).ok
    plain.final = {"Net#0/v": np.array((1.0, 2.0))}
    assert "missing in the MindSpore run" in compare(wrapped, plain, Tolerance()).problems[0]


def test_a_run_that_does_not_repeat_measures_no_rounding():
    off = trace(losses=(1.02, 0.5))
    result = compare(trace(), off, Tolerance(), [off])
    assert not result.ok and "does not repeat" in result.problems[0]
