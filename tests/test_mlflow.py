"""MLflow: evaluations in a file store, a database and behind a server; the evaluator."""

import json
import math
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import stakes
from stakes.mlflow.evaluator import StakesEvaluator
from stakes.mlflow.metric_names import LONGEST, accepted_names

mlflow = pytest.importorskip("mlflow")
pd = pytest.importorskip("pandas")
linear_model = pytest.importorskip("sklearn.linear_model")

pytestmark = pytest.mark.filterwarnings("ignore")  # those of MLflow and what it loads
COSTS = stakes.CostMatrix([[0, 1], [5, 0]], classes=("well", "ill"))
MARK = "STAKES_TEST_OF_MLFLOW"  # in the environment of every process of a server


def labels(n: int = 300) -> tuple[Any, Any]:
    """Return labels and features."""
    rng = np.random.default_rng(3)
    y = np.where(rng.random(n) < 0.35, "ill", "well")
    a = 1.6 * (y == "ill") + rng.normal(size=n)
    return y, pd.DataFrame({"a": a, "b": rng.normal(size=n)})


@cache
def fitted() -> Any:
    y, X = labels()
    return linear_model.LogisticRegression().fit(X, y)


@cache
def records() -> Mapping[str, Any]:
    y, X = labels()
    p = fitted().predict_proba(X)[:, 0]  # of "ill", which is the first of its classes
    decided = np.where(p > 0.5, "ill", "well")
    return {
        "evaluation": stakes.evaluate(y, p, costs=COSTS),
        "comparison": stakes.compare(y, {"old": p, "new": p**2}, costs=COSTS),
        "decisions": stakes.evaluate_decisions(
            stakes.confusion_matrix(y, decided, classes=COSTS.classes), COSTS
        ),
    }


def marked(mark: str) -> list[str]:
    """Return the processes, of any parent, that have a mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return [line for line in found if line]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder, mark = tmp_path_factory.mktemp("server"), uuid.uuid4().hex
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port),
        "--backend-store-uri", f"sqlite:///{folder / 'runs.db'}", "--artifacts-destination",
        str(folder / "artifacts"), "--workers", "1",
    ]  # fmt: skip
    quiet = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "OPENBLAS_NUM_THREADS": "1", MARK: mark}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, env={**os.environ, **quiet}, stdout=log, stderr=log, cwd=folder, start_new_session=True
        )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(address, process, folder / "log")
        yield address
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)
        end = time.monotonic() + 10
        while (left := marked(mark)) and time.monotonic() < end:
            time.sleep(0.1)
        assert left == [], f"the server left processes behind: {left}"


def _wait(address: str, process: Any, log: Path) -> None:
    end = time.monotonic() + 90
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=2) as answer:  # noqa: S310
                assert answer.read() == b"OK"
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the server did not come up:\n{log.read_text()}")


@pytest.fixture(params=["files", "database", "server"])
def store(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Use a store; files are refused by MLflow 3.17 unless they are asked for."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    shared = request.getfixturevalue("shared")
    uris = {"files": str(tmp_path / "mlruns"), "database": f"sqlite:///{shared / 'runs.db'}"}
    uri = request.getfixturevalue("server") if request.param == "server" else uris[request.param]
    yield from _used(uri)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where a database is that tests share: it takes a second to create one."""
    return tmp_path_factory.mktemp("shared")


@pytest.fixture
def database(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.chdir(shared)
    yield from _used(f"sqlite:///{shared / 'runs.db'}")


def _used(uri: str) -> Iterator[Any]:
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(uri)
    try:
        yield mlflow.MlflowClient()
    finally:
        while mlflow.active_run() is not None:
            mlflow.end_run()
        mlflow.set_tracking_uri(before)


def read_text(client: Any, run_id: str, path: str) -> str:
    return Path(client.download_artifacts(run_id, path)).read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["evaluation", "comparison", "decisions"])
def test_every_number_comes_back_from_every_store(store: Any, kind: str) -> None:
    record = records()[kind]
    with mlflow.start_run() as run:
        logged = stakes.mlflow.log_evaluation(record, source="test set")
    found = store.get_run(run.info.run_id).data
    flat = record.flat_metrics()
    assert found.metrics == {name: x for name, x in flat.items() if math.isfinite(x)}
    assert logged.run_id == run.info.run_id
    assert logged.metrics == found.metrics
    assert logged.renamed == {}
    assert set(logged.not_finite) == {name for name, x in flat.items() if not math.isfinite(x)}
    assert logged.tags.items() <= found.tags.items()
    assert found.tags["stakes.version"] == stakes.__version__
    assert found.tags["stakes.verdict"] == record.verdicts[0].text
    assert found.tags["stakes.verdict_codes"].split(",") == [v.code for v in record.verdicts]
    assert found.tags["stakes.level"] == "0.95"
    assert found.tags.get("stakes.seed", "0") == "0"  # decisions have none
    assert logged.artifacts == {
        "page": "stakes/evaluation.html",
        "document": "stakes/evaluation.json",
        "verdicts": "stakes/verdicts.md",
    }
    paths = {each.path for each in store.list_artifacts(run.info.run_id, "stakes")}
    assert paths == set(logged.artifacts.values())
    text = read_text(store, run.info.run_id, "stakes/evaluation.json")
    assert text == record.to_json(source="test set")
    assert read_text(store, run.info.run_id, "stakes/evaluation.html") == record.to_html(source="test set")  # fmt: skip
    said = read_text(store, run.info.run_id, "stakes/verdicts.md").splitlines()
    assert len(said) == len(record.verdicts)


def test_some_metrics_are_logged(database: Any) -> None:
    record = records()["evaluation"]
    with mlflow.start_run():
        logged = stakes.mlflow.log_evaluation(record, metrics=["cost.nec"], artifacts=False)
        with pytest.raises(stakes.InputError, match="metrics must be names"):
            stakes.mlflow.log_evaluation(record, metrics=["nothing"])
    assert set(logged.metrics) == {"cost.nec", "cost.nec.low", "cost.nec.high"}


def test_settings_are_tags(database: Any) -> None:
    with mlflow.start_run() as run:
        stakes.mlflow.log_evaluation(records()["evaluation"], artifacts=False)
        stakes.mlflow.log_evaluation(records()["decisions"], artifacts=False, prefix="made/")
        stakes.mlflow.log_evaluation(records()["comparison"], artifacts=False, prefix="pair/")
    found = database.get_run(run.info.run_id).data
    tags, y = found.tags, labels()[0]
    share = float(np.mean(y == "ill"))
    for prefix in ("", "made/"):
        assert json.loads(tags[f"stakes.{prefix}costs"]) == {"cost": [[0, 1], [5, 0]]}
        assert json.loads(tags[f"stakes.{prefix}decisions"]) == {"cost": ["well", "ill"]}
        priors = json.loads(tags[f"stakes.{prefix}priors"])["cost"]
        assert priors == {"well": pytest.approx(1 - share), "ill": pytest.approx(share)}
        assert json.loads(tags[f"stakes.{prefix}priors_from_data"]) == {"cost": True}
    assert tags["stakes.calibrator"] == "affine"
    assert json.loads(tags["stakes.pair/systems"]) == ["old", "new"]
    assert tags["stakes.pair/reference"] == "old"
    assert json.loads(tags["stakes.pair/may_be_best"]).keys() == {"cost"}
    assert found.metrics["made/cost.nec"] == records()["decisions"].flat_metrics()["cost.nec"]
    assert found.params == {}
    assert database.list_artifacts(run.info.run_id) == []


def test_costs_of_many_classes_are_in_the_document_only(database: Any) -> None:
    y = np.arange(400) % 80
    p = np.full((400, 80), 1 / 160)
    p[np.arange(400), y] += 0.5
    values = np.random.default_rng(0).random((80, 80)) * (1 - np.eye(80))
    made = stakes.evaluate(y, p, costs=values, calibrator=None)
    with mlflow.start_run():
        logged = stakes.mlflow.log_evaluation(made, artifacts=False)
    assert logged.tags["stakes.costs"] == "too long for a tag: see the JSON document"


def test_undefined_and_infinite_numbers_are_tags_with_their_reason(store: Any) -> None:
    y = np.array(["well"] * 20 + ["ill"] * 20)
    counts = stakes.confusion_matrix(y, y, classes=COSTS.classes)
    infinite = stakes.evaluate_decisions(counts, COSTS)
    free = stakes.evaluate_decisions(counts, COSTS, {"well": 1.0, "ill": 0.0})
    with mlflow.start_run() as run:
        first = stakes.mlflow.log_evaluation(infinite, artifacts=False)
        stakes.mlflow.log_evaluation(free, artifacts=False, prefix="free/", step=2)
    found = store.get_run(run.info.run_id).data
    name = "cost.positive_likelihood_ratio"
    assert first.not_finite[name] == "inf"
    assert found.tags[f"stakes.undefined.{name}"] == "inf"
    assert name not in found.metrics
    assert max(map(abs, found.metrics.values())) < 1e3
    text = found.tags["stakes.free/undefined.cost.nec"]
    assert text.startswith("step 2: undefined: one class has prior 1")
    assert "free/cost.nec" not in found.metrics
    assert f"{name}.naive" in found.metrics


def test_names_that_mlflow_refuses_are_mapped_and_told(store: Any) -> None:
    y, X = labels(120)
    p = fitted().predict_proba(X)[:, 0]
    uses = {"a:b": stakes.Application(COSTS), "a;b": stakes.Application(COSTS), "é/ü": stakes.Application(COSTS)}  # fmt: skip
    made = stakes.evaluate(y, p, costs=uses)
    with mlflow.start_run() as run:
        logged = stakes.mlflow.log_evaluation(made, prefix="val/")
    found, flat = store.get_run(run.info.run_id).data, made.flat_metrics()
    for name in ("a:b.nec", "a;b.nec", "é/ü.nec"):
        used = logged.renamed.get(f"val/{name}", f"val/{name}")
        assert found.metrics[used] == flat[name]
    assert logged.renamed["val/a:b.nec"] == "val/a_b.nec"
    assert logged.renamed["val/a;b.nec"].startswith("val/a_b.nec-")
    assert "val/é/ü.nec" in found.metrics
    assert len(found.metrics) == sum(map(math.isfinite, flat.values()))
    assert found.tags["stakes.val/name.val/a_b.nec"] == "val/a:b.nec"
    assert "stakes/val/evaluation.html" in logged.artifacts.values()


@given(st.lists(st.text(st.sampled_from("ab/.:;é \n-_😀"), max_size=6), unique=True, max_size=12))
def test_any_names_become_different_names_that_mlflow_takes(names: list[str]) -> None:
    found = accepted_names(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    validation = pytest.importorskip("mlflow.utils.validation")
    for name, new in found.items():
        validation._validate_metric_name(new)
        assert len(new) <= LONGEST
        assert name == new or found == accepted_names(names)


def test_steps_have_a_history_and_documents_of_their_own(database: Any) -> None:
    first, second = records()["evaluation"], records()["decisions"]
    with mlflow.start_run() as run:
        stakes.mlflow.log_evaluation(first, step=1)
        stakes.mlflow.log_evaluation(second, step=2)
    history = database.get_metric_history(run.info.run_id, "cost.nec")
    assert {m.step: m.value for m in history} == {
        1: first.flat_metrics()["cost.nec"],
        2: second.flat_metrics()["cost.nec"],
    }
    for step, record in ((1, first), (2, second)):
        path = f"stakes/step-{step}/evaluation.json"
        assert read_text(database, run.info.run_id, path) == record.to_json()


def test_runs_are_the_active_one_a_named_one_or_a_new_one(database: Any, tmp_path: Path) -> None:
    record = records()["decisions"]
    started = stakes.mlflow.log_evaluation(record, artifacts=False)
    assert mlflow.active_run().info.run_id == started.run_id
    again = stakes.mlflow.log_evaluation(record, artifacts=False, prefix="b/")
    assert again.run_id == started.run_id
    mlflow.end_run()
    named = stakes.mlflow.log_evaluation(record, run_id=started.run_id, prefix="c/")
    assert named.run_id == started.run_id
    assert mlflow.active_run() is None
    other = mlflow.MlflowClient(tracking_uri=f"sqlite:///{tmp_path / 'other.db'}")
    run = other.create_run(other.create_experiment("e"))
    stakes.mlflow.log_evaluation(record, run_id=run.info.run_id, client=other, artifacts=False)
    assert "cost.nec" in other.get_run(run.info.run_id).data.metrics


def test_what_cannot_be_logged_is_refused(database: Any) -> None:
    record = records()["decisions"]
    with pytest.raises(
        stakes.InputError, match=r"evaluation must be what evaluate, .*: got a dict"
    ):
        stakes.mlflow.log_evaluation(record.to_dict())
    with pytest.raises(stakes.InputError, match="run_id must be given with a client"):
        stakes.mlflow.log_evaluation(record, client=database)
    with pytest.raises(stakes.InputError, match=r"run_id must be the ID of a run: got 5\."):
        stakes.mlflow.log_evaluation(record, run_id=5)  # type: ignore[arg-type]
    assert mlflow.active_run() is None


def asked(data: Any, config: dict[str, Any], model: Any = None, **more: Any) -> Any:
    """Evaluate with stakes alone."""
    given = {"targets": "y", "model_type": "classifier", "evaluators": ["stakes"]} | more
    return mlflow.models.evaluate(model, data, evaluator_config={"stakes": config}, **given)


def finite(record: Any) -> dict[str, float]:
    return {name: x for name, x in record.flat_metrics().items() if math.isfinite(x)}


def log_model(model: Any) -> Any:
    """Log a model; requirements are named, since to find them takes MLflow a quarter of a minute."""
    with mlflow.start_run():
        return mlflow.sklearn.log_model(model, name="model", pip_requirements=["scikit-learn"])


@pytest.fixture
def logged_model(database: Any) -> Any:
    return log_model(fitted())


def test_the_entry_point_is_there() -> None:
    from importlib.metadata import entry_points  # noqa: PLC0415

    (found,) = entry_points(group="mlflow.model_evaluator", name="stakes")
    assert found.load() is StakesEvaluator
    from mlflow.models.evaluation.base import list_evaluators  # noqa: PLC0415

    assert "stakes" in list_evaluators()


def test_a_logged_model_is_evaluated_with_its_classes_by_name(
    database: Any, logged_model: Any
) -> None:
    y, X = labels()
    assert fitted().classes_.tolist() == ["ill", "well"]  # not the order of the costs
    with mlflow.start_run() as run:
        found = asked(X.assign(y=y), {"costs": COSTS}, logged_model.model_uri)
    expected = finite(records()["evaluation"])
    assert found.metrics == pytest.approx(expected, rel=1e-9)
    data = database.get_run(run.info.run_id).data
    assert data.metrics == pytest.approx(expected, rel=1e-9)
    assert data.tags["stakes.verdict_codes"].startswith("useful")
    assert set(found.artifacts) == {"stakes_page", "stakes_document", "stakes_verdicts"}
    document = found.artifacts["stakes_document"]
    assert document.content["data"]["samples"] == 300
    assert document.uri.endswith("stakes/evaluation.json")
    model = database.get_logged_model(logged_model.model_id)
    linked = {m.key: m.value for m in model.metrics}
    assert linked["cost.nec"] == pytest.approx(expected["cost.nec"])


def test_results_can_be_saved_and_loaded(database: Any, tmp_path: Path) -> None:
    y, X = labels()
    p = fitted().predict_proba(X)[:, 0]
    config = {"costs": COSTS}
    found = asked(pd.DataFrame({"y": y, "p": p}), config, predictions="p")
    found.save(str(tmp_path / "saved"))
    again = mlflow.models.EvaluationResult.load(str(tmp_path / "saved"))
    assert again.metrics == found.metrics
    assert again.artifacts["stakes_document"].content == found.artifacts["stakes_document"].content
    bare = asked(pd.DataFrame({"y": y, "p": p}), config | {"artifacts": False}, predictions="p")
    assert (bare.artifacts, bare.metrics) == ({}, found.metrics)


def test_stored_probabilities_in_every_form(database: Any) -> None:
    y, X = labels()
    table = fitted().predict_proba(X)
    expected = finite(stakes.evaluate(y, table[:, 0], costs=COSTS))
    config = {"costs": COSTS}
    data = pd.DataFrame({"y": y, "p": table[:, 0], "q": table[:, 1], "d": fitted().predict(X), "ill": table[:, 0], "well": table[:, 1]})  # fmt: skip
    lists = pd.DataFrame({"y": y, "p": [row.tolist() for row in table]})
    arrays = pd.DataFrame({"y": y, "p": list(table)})
    order = {"classes": ["ill", "well"]}
    for found in (
        asked(data, config, predictions="p"),
        asked(data, config | {"scores": "p"}, predictions="d"),
        asked(data, config | {"scores": ["p", "q"]} | order, predictions="d"),
        asked(data, config | {"scores": ["well", "ill"]}, predictions="d"),
        asked(data, config | {"scores": ["ill", "well"]}, predictions="d"),
        asked(data, config | {"scores": ["well", "ill"]} | order, predictions="d"),
        asked(data, config | {"scores": "q", "classes": ["ill", "well"]}, predictions="d"),
        asked(lists, config | order, predictions="p"),
        asked(arrays, config | order, predictions="p"),
        asked(data.assign(z=np.log(table[:, 0] / table[:, 1])), config | {"scores": "z", "kind": stakes.Logits}, predictions="d"),
    ):  # fmt: skip
        assert found.metrics == pytest.approx(expected, rel=1e-6)


def test_columns_of_groups_weights_and_slices_stay_away_from_the_model(
    database: Any, logged_model: Any
) -> None:
    y, X = labels()
    rng = np.random.default_rng(5)
    more = {"g": np.arange(300) // 5, "w": rng.integers(1, 4, 300), "ward": rng.choice(["n", "s"], 300)}  # fmt: skip
    config = {"costs": COSTS, "groups": "g", "sample_weight": "w", "slices": ["ward"]}  # fmt: skip
    found = asked(X.assign(y=y, **more), config, logged_model.model_uri)
    p = fitted().predict_proba(X)[:, 0]
    expected = stakes.evaluate(
        y, p, costs=COSTS, groups=more["g"], sample_weight=more["w"], slices={"ward": more["ward"]}
    )  # fmt: skip
    assert found.metrics == pytest.approx(finite(expected), rel=1e-9)
    slices = found.artifacts["stakes_document"].content["slices"]
    assert [s["value"] for s in slices] == [s.value for s in expected.slices]
    bare = linear_model.LogisticRegression().fit(X.to_numpy(), y)  # knows no names
    info = log_model(bare)
    again = asked(X.assign(y=y, **more), config, info.model_uri)
    assert again.metrics == pytest.approx(found.metrics, rel=1e-6)


def test_functions_and_arrays_are_evaluated(database: Any) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    X = np.eye(3)[y] + rng.normal(size=(240, 3))
    q = np.exp(2 * X) / np.exp(2 * X).sum(axis=1, keepdims=True)
    expected = finite(stakes.evaluate(y, q))

    def table(features: Any) -> Any:
        values = np.exp(2 * np.asarray(features))
        return values / values.sum(axis=1, keepdims=True)

    def framed(features: Any) -> Any:
        return pd.DataFrame({"p": list(table(features)), "d": table(features).argmax(axis=1)})

    found = asked(X, {"level": 0.95}, table, targets=y)
    assert found.metrics == pytest.approx(expected)
    found = asked(X, {"level": 0.95}, framed, targets=y, predictions="p")
    assert found.metrics == pytest.approx(expected)
    made = asked(X, {"decisions": True}, framed, targets=y, predictions="d")
    counts = stakes.confusion_matrix(y, table(X).argmax(axis=1))
    assert made.metrics == pytest.approx(finite(stakes.evaluate_decisions(counts)))
    with pytest.raises(stakes.InputError, match=r"predictions must name an output .* 'p', 'd'"):
        asked(X, {"level": 0.95}, framed, targets=y, predictions="x")
    with pytest.raises(stakes.InputError, match=r"which has no names"):
        asked(X, {"level": 0.95}, table, targets=y, predictions="x")


def test_decisions_are_evaluated_where_that_is_said(database: Any, logged_model: Any) -> None:
    y, X = labels()
    decided = fitted().predict(X)
    config = {"decisions": True, "costs": COSTS, "priors": [0.9, 0.1]}
    counts = stakes.confusion_matrix(y, decided, classes=COSTS.classes)
    expected = finite(stakes.evaluate_decisions(counts, COSTS, [0.9, 0.1]))
    stored = asked(pd.DataFrame({"y": y, "d": decided}), config, predictions="d")
    assert stored.metrics == pytest.approx(expected)
    assert asked(X.assign(y=y), config, logged_model.model_uri).metrics == pytest.approx(expected)


def test_beside_the_default_evaluator_both_speak(database: Any, logged_model: Any) -> None:
    y, X = labels()
    quiet = {"log_model_explainability": False}
    given = {"targets": "y", "model_type": "classifier"}
    alone = mlflow.models.evaluate(logged_model.model_uri, X.assign(y=y), evaluators=["default"], evaluator_config={"default": quiet}, **given)  # fmt: skip
    config = {"default": quiet, "stakes": {"costs": COSTS}}
    both = mlflow.models.evaluate(logged_model.model_uri, X.assign(y=y), evaluators=["default", "stakes"], evaluator_config=config, **given)  # fmt: skip
    assert both.metrics.keys() > alone.metrics.keys()
    assert {name: both.metrics[name] for name in alone.metrics} == alone.metrics
    assert both.metrics["cost.nec"] < 1
    assert not alone.metrics.keys() & finite(records()["evaluation"]).keys()


@pytest.mark.parametrize("nested", [False, True])
def test_those_who_do_not_ask_get_what_they_got(
    nested: bool, database: Any, logged_model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow.models.evaluation.evaluator_registry import (  # noqa: PLC0415
        _model_evaluation_registry as registry,
    )

    y, X = labels()
    quiet = {"log_model_explainability": False, "pos_label": "ill", "sample_weights": [1.0] * 300}

    def result() -> tuple[Any, Any]:
        found = mlflow.models.evaluate(logged_model.model_uri, X.assign(y=y), targets="y", model_type="classifier", evaluator_config={"default": quiet} if nested else quiet)  # fmt: skip
        return found.metrics, set(found.artifacts)

    assert "stakes" in registry._registry
    installed = result()
    monkeypatch.setattr(registry, "_registry", {n: e for n, e in registry._registry.items() if n != "stakes"})  # fmt: skip
    assert installed == result()


def test_a_gate_of_mlflow_takes_our_names(database: Any) -> None:
    y, X = labels()
    data = pd.DataFrame({"y": y, "p": fitted().predict_proba(X)[:, 0]})
    found = asked(data, {"costs": COSTS}, predictions="p")
    limit = mlflow.models.MetricThreshold
    passes = {"cost.nec.high": limit(threshold=1.0, greater_is_better=False)}
    mlflow.validate_evaluation_results(passes, found)
    fails = {"cost.nec": limit(threshold=0.01, greater_is_better=False)}
    with pytest.raises(Exception, match=r"cost\.nec"):
        mlflow.validate_evaluation_results(fails, found)


def test_what_is_wrong_is_said(database: Any) -> None:
    y, X = labels()
    p = fitted().predict_proba(X)[:, 0]
    decided = fitted().predict(X)
    data = X.assign(y=y, p=p, d=decided, n=(decided == "ill").astype(int))
    base = {"costs": COSTS}
    rows: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        (base, {"predictions": "d"}, r"predictions must be probabilities, not classes: got '\w+' and others"),
        (base, {"predictions": "n"}, r"predictions must be probabilities, not classes: got '[01]'"),
        (base, {"predictions": "d", "model_type": "regressor"}, "model_type must be"),
        ({"cost": COSTS}, {"predictions": "p"}, r"got 'cost'\. Did you mean 'costs'\?"),
        (base | {"scores": "x"}, {"predictions": "p"}, "scores must name a column of data.*got 'x'"),
        (base | {"scores": []}, {"predictions": "p"}, "scores must be the name of a column, or a list"),
        (base | {"groups": "x"}, {"predictions": "p"}, "groups must name a column of data"),
        (base | {"decisions": True, "scores": "p"}, {"predictions": "d"}, "must have no 'scores' together with 'decisions'"),
        ({"decisions": True, "costs": [[0, 1], [5, 0]]}, {"predictions": "d"}, "costs must be a CostMatrix"),
        (base | {"classes": ["well", "ill", "dead"]}, {"predictions": "p"}, "classes must name the 2 classes"),
    ]  # fmt: skip
    for config, more, message in rows:
        with pytest.raises(stakes.InputError, match=message):
            asked(data, config, **more)
    ragged = pd.DataFrame({"y": y, "p": [[0.5, 0.5]] * 299 + [[1.0]]})
    with pytest.raises(stakes.InputError, match=r"must hold 2 probabilities .*: got 1 at row 299"):
        asked(ragged, base, predictions="p")


def test_a_model_that_gives_classes_only_is_told_how_to_be_logged(database: Any) -> None:
    y, X = labels()
    svm = pytest.importorskip("sklearn.svm").LinearSVC().fit(X, y)
    info = log_model(svm)
    with pytest.raises(stakes.InputError, match=r"the output of the model must be probabilities"):
        asked(X.assign(y=y), {"costs": COSTS}, info.model_uri)
