"""Products of small matrices on one thread: more of them burn time and win none."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

_LARGE = 32  # rows from which BLAS libraries start threads


def one_thread(rows: int) -> AbstractContextManager[Any]:
    """Keep BLAS to one thread for a matrix of so many rows.

    That takes threadpoolctl, which whoever has scikit-learn has; without it OPENBLAS_NUM_THREADS=1
    in the environment does the same.
    """
    controller = _controller() if rows >= _LARGE else None
    return nullcontext() if controller is None else controller.limit(limits=1, user_api="blas")


@cache
def _controller() -> Any:  # noqa: ANN401
    """Return what can limit the threads of the libraries that are loaded, or None."""
    try:
        from threadpoolctl import ThreadpoolController  # noqa: PLC0415  not everyone has it
    except ImportError:
        return None
    return ThreadpoolController()
