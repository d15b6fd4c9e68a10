"""Tensors of torch, of any float dtype and in any state, are read as the numbers that they are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stakes

torch = pytest.importorskip("torch")

N, K = 300, 3
FLOATS = ["bfloat16", "float16", "float32", "float64"]
EIGHTH = ["float8_e4m3fn", "float8_e5m2"]


def tensors() -> tuple[Any, Any]:
    """Return labels and logits, float32 as networks give them."""
    generator = torch.Generator().manual_seed(1)
    y = torch.randint(0, K, (N,), generator=generator)
    z = torch.randn(N, K, generator=generator) + 1.5 * torch.nn.functional.one_hot(y, K)
    return y, z


@pytest.mark.parametrize("dtype", FLOATS + EIGHTH)
def test_every_argument_takes_every_float(dtype: str) -> None:
    y, z = tensors()
    kind = getattr(torch, dtype)
    weights, priors = torch.arange(N) % 4 + 1, torch.tensor([0.25, 0.25, 0.5])
    costs, site = torch.tensor([[0, 1, 1], [4, 0, 1], [1, 1, 0]]), torch.arange(N) % 2

    def evaluated(logits: Any, read: Callable[[Any], Any]) -> Any:
        return stakes.evaluate(
            read(y),
            stakes.Logits(logits),
            costs=read(costs),
            priors=read(priors),
            training_priors="deployment",
            sample_weight=read(weights),
            groups=torch.arange(N) // 3,
            slices={"site": read(site)},
        ).to_dict()

    own = z.to(kind)
    assert evaluated(own, lambda t: t.to(kind)) == evaluated(
        own.double().numpy(), torch.Tensor.numpy
    )


@pytest.mark.parametrize(
    ("dtype", "gap"), [("bfloat16", 2.0**-7), ("float16", 2.0**-10), ("float32", 3e-6)]
)
def test_rows_keep_the_tolerance_of_their_dtype(dtype: str, gap: float) -> None:
    y, z = tensors()
    p = torch.softmax(z, 1).to(getattr(torch, dtype))
    for kind, values in (
        (stakes.Posteriors, p),
        (stakes.LogPosteriors, torch.log(p.float()).to(p)),
    ):
        rounding = kind(values).rounding
        assert rounding is not None
        assert (rounding.precision, rounding.renormalized) == (dtype, False)
        assert rounding.gap <= 4 * gap
    assert stakes.cross_entropy(y, p).value == stakes.cross_entropy(y, p.double().numpy()).value
    off = p.clone()
    off[17, 0] += 0.02
    with pytest.raises(stakes.InputError, match="scores must be posteriors, rows that sum to 1"):
        stakes.Posteriors(off)


def test_double_precision_has_no_such_tolerance() -> None:
    p = torch.softmax(tensors()[1].double(), 1)
    assert stakes.Posteriors(p).rounding is None
    p[5, 1] += 1e-7
    with pytest.raises(stakes.InputError, match="row 5"):
        stakes.Posteriors(p)


STATES: dict[str, Callable[[Any], Any]] = {
    "gradient": lambda z: z.clone().requires_grad_(),
    "within a graph": lambda z: z.clone().requires_grad_() * 1,
    "parameter": torch.nn.Parameter,
    "transposed": lambda z: z.T.contiguous().T,
    "every second row of twice as many": lambda z: z.repeat_interleave(2, 0)[::2],
    "turned twice": lambda z: z.flip(0).flip(0),
    "negative view": lambda z: torch.complex(z, -z).conj().imag,
    "list of rows": list,
    "list of batches": lambda z: [z[:7], z[7:8].requires_grad_(), z[8:]],
    "list of lists of numbers": lambda z: [list(row) for row in z],
    "list of rows with gradients": lambda z: [row.clone().requires_grad_() for row in z],
}


@pytest.mark.parametrize("state", STATES)
def test_the_state_of_a_tensor_changes_no_number(state: str) -> None:
    y, z = tensors()
    want = stakes.cross_entropy(y.numpy(), stakes.Logits(z.numpy())).value
    assert stakes.cross_entropy(y, stakes.Logits(STATES[state](z))).value == want


def test_expanded_and_inference_tensors_are_read() -> None:
    y, z = tensors()
    want = stakes.cross_entropy(y.numpy(), stakes.Logits(np.tile(z[:1].numpy(), (N, 1)))).value
    assert stakes.cross_entropy(y, stakes.Logits(z[:1].expand(N, K))).value == want
    with torch.inference_mode():
        rows = z[:1].expand(N, K) * 1
        assert stakes.cross_entropy(y, stakes.Logits(rows)).value == want


def test_labels_are_read_in_any_form() -> None:
    y, z = tensors()
    want = stakes.cross_entropy(y.numpy(), stakes.Logits(z.numpy())).value
    forms = [y.int(), y.to(torch.uint8), y.float(), list(y), [y[:9], y[9:]], y[:, None]]
    for form in forms:
        assert stakes.cross_entropy(form, stakes.Logits(z)).value == want
    two, p = y > 0, torch.sigmoid(z[:, 0])
    assert stakes.auc(two, p) == stakes.auc(two.numpy(), p.numpy())
    assert stakes.auc(list(two), list(p.bfloat16())) == stakes.auc(two, p.bfloat16())


def test_memory_is_shared_where_it_can_be() -> None:
    z = tensors()[1].double()
    assert np.shares_memory(stakes.Logits(z).values, z.numpy())
    assert np.shares_memory(stakes.Logits(z.T.contiguous().T).values, z.numpy()) is False
    p = torch.softmax(z, 1)
    assert np.shares_memory(stakes.Posteriors(p.requires_grad_()).values, p.detach().numpy())


REFUSED: list[tuple[str, Callable[[Any], Any], str]] = [
    ("meta", lambda z: z.to("meta"), "must hold numbers: got a tensor on the meta device"),
    ("sparse", lambda z: z.to_sparse(), r"must be dense: got a tensor of layout torch.sparse_coo"),
    ("complex", lambda z: torch.complex(z, z).conj(), "must hold numbers: got complex64"),
    ("bits", lambda z: z.to(torch.uint8).view(torch.bits8), "numbers that numpy can read"),
    ("ragged batches", lambda z: [z[:3, 0], z[3:9, 0]], "Join batches first"),
    ("a number", lambda z: z[0, 0], "a single number"),
    ("four dimensions", lambda z: z[None, None], "must be 2-D"),
]


@pytest.mark.parametrize(("what", "made", "said"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_cannot_be_read_is_an_input_error(
    what: str, made: Callable[[Any], Any], said: str
) -> None:
    y, z = tensors()
    assert what
    with pytest.raises(stakes.InputError, match=rf"scores.*{said}"):
        stakes.cross_entropy(y, stakes.Logits(made(z)))


@pytest.mark.parametrize("argument", ["y_true", "sample_weight", "groups", "priors", "costs"])
def test_every_argument_names_itself(argument: str) -> None:
    y, z = tensors()
    given: dict[str, Any] = {"y_true": y, "scores": stakes.Logits(z)}
    given[argument] = torch.ones(K, K, device="meta") if argument == "costs" else y.to("meta")
    with pytest.raises(stakes.InputError, match=rf"{argument} must hold numbers: got a tensor on"):
        stakes.evaluate(**given)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors_are_named() -> None:
    y, z = tensors()
    nested = torch.nested.nested_tensor([z[:2], z[2:]])
    with pytest.raises(stakes.InputError, match="scores must be a regular array: got a nested"):
        stakes.cross_entropy(y, stakes.Logits(nested))


def test_swapped_arguments_of_fit_are_noticed() -> None:
    y, z = tensors()
    scores = torch.softmax(z, 1).requires_grad_()
    with pytest.raises(stakes.InputError, match=r"Call fit\(scores, y_true\)"):
        stakes.TemperatureCalibrator().fit(y, scores)


def test_a_scorecard_of_tensors_is_that_of_arrays() -> None:
    y, z = tensors()
    p = torch.softmax(z, 1)
    want = stakes.scorecard(y.numpy(), p.numpy())
    found = stakes.scorecard(y, p.requires_grad_())
    assert str(found) == str(want)
    rough = p.detach().bfloat16()
    assert str(stakes.scorecard(y, rough)) == str(stakes.scorecard(y, rough.float().numpy()))
