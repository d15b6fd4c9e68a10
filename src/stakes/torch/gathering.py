"""Bytes of all processes of a group of torch.distributed."""

from stakes.torch.torch_library import Tensor, distributed, torch


def is_distributed() -> bool:
    """Whether this process is one of several that torch.distributed joined."""
    return bool(distributed.is_available() and distributed.is_initialized())


def gathered(data: bytes, group: object, device: torch.device) -> list[bytes]:
    """Return the bytes of every process, which may be of any length, in the order of the ranks."""
    at = device if _needs_device(group) else torch.device("cpu")
    own = torch.frombuffer(bytearray(data), dtype=torch.uint8).to(at)
    count = distributed.get_world_size(group)
    sizes = [torch.zeros(1, dtype=torch.int64, device=at) for _ in range(count)]
    distributed.all_gather(sizes, torch.tensor([own.numel()], device=at), group=group)
    lengths = [int(size.item()) for size in sizes]
    padded = torch.zeros(max(lengths), dtype=torch.uint8, device=at)
    padded[: own.numel()] = own
    parts = [torch.empty_like(padded) for _ in range(count)]
    distributed.all_gather(parts, padded, group=group)
    return [as_bytes(part[:n]) for part, n in zip(parts, lengths, strict=True)]


def _needs_device(group: object) -> bool:
    """Whether a group takes only tensors of its device, as NCCL does."""
    backend = str(distributed.get_backend(group))
    return not any(name in backend for name in ("gloo", "mpi"))


def as_bytes(tensor: Tensor) -> bytes:
    """Return a tensor of bytes as such."""
    return bytes(tensor.cpu().numpy().tobytes())


def as_tensor(data: bytes) -> Tensor:
    """Return bytes as a tensor."""
    return torch.frombuffer(bytearray(data), dtype=torch.uint8)
