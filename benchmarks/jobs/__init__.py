"""Jobs: what is measured, at which sizes, beside which peers, and what was wanted."""
