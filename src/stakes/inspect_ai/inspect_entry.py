"""What inspect finds by names such as stakes/confidence_target, on its command line too."""

from stakes.inspect_ai import target_metrics  # noqa: F401  whose metrics register themselves
