"""The digits of the paper's tables, as printed; computed values are held against them.

L. Ferrer, Analysis and Comparison of Classification Metrics, arXiv:2209.05355.
"""

# Tables "metric_comp_bal" and "metric_comp_imb": N_21, N_12, then NEC_b, NEC with beta^2 = 1 and 2,
# F1, MCC, R_21, R_12, R_*2, R_*1.
METRIC_COLUMNS = ("NEC_b", "NEC_b2=1", "NEC_b2=2", "F1", "MCC", "R_21", "R_12", "R_*2", "R_*1")

BALANCED_SIZES = (500, 500)
BALANCED = (
    (0, 50, "0.10 0.10 0.10 0.95 0.90 0.00 0.10 0.55 0.45"),
    (25, 25, "0.10 0.10 0.15 0.95 0.90 0.05 0.05 0.50 0.50"),
    (50, 0, "0.10 0.10 0.20 0.95 0.90 0.10 0.00 0.45 0.55"),
    (0, 250, "0.50 0.50 0.50 0.80 0.58 0.00 0.50 0.75 0.25"),
    (125, 125, "0.50 0.50 0.75 0.75 0.50 0.25 0.25 0.50 0.50"),
    (250, 0, "0.50 0.50 1.00 0.67 0.58 0.50 0.00 0.25 0.75"),
    (0, 450, "0.90 0.90 0.90 0.69 0.23 0.00 0.90 0.95 0.05"),
    (225, 225, "0.90 0.90 1.35 0.55 0.10 0.45 0.45 0.50 0.50"),
    (450, 0, "0.90 0.90 1.80 0.18 0.23 0.90 0.00 0.05 0.95"),
)

IMBALANCED_SIZES = (900, 100)
IMBALANCED = (
    (0, 90, "0.10 0.90 0.45 0.69 0.69 0.00 0.10 0.19 0.81"),
    (5, 45, "0.10 0.50 0.28 0.79 0.78 0.05 0.05 0.14 0.86"),
    (10, 0, "0.10 0.10 0.10 0.95 0.94 0.10 0.00 0.09 0.91"),
    (0, 450, "0.50 4.50 2.25 0.31 0.30 0.00 0.50 0.55 0.45"),
    (25, 225, "0.50 2.50 1.38 0.38 0.33 0.25 0.25 0.30 0.70"),
    (50, 0, "0.50 0.50 0.50 0.67 0.69 0.50 0.00 0.05 0.95"),
    (0, 810, "0.90 8.10 4.05 0.20 0.10 0.00 0.90 0.91 0.09"),
    (40, 450, "0.90 4.90 2.65 0.20 0.06 0.40 0.50 0.51 0.49"),
    (90, 0, "0.90 0.90 0.90 0.18 0.30 0.90 0.00 0.01 0.99"),
    (0, 90, "0.10 0.90 0.45 0.69 0.69 0.00 0.10 0.19 0.81"),
    (45, 45, "0.50 0.90 0.68 0.55 0.50 0.45 0.05 0.10 0.90"),
    (90, 0, "0.90 0.90 0.90 0.18 0.30 0.90 0.00 0.01 0.99"),
)

# Table "ec_with_abstention", K = 2: alpha, then EC, NEC, percent abstained for LR-mc1 and LR-cal.
ABSTENTION_COLUMNS = ("mc1 EC", "mc1 NEC", "mc1 Abs", "cal EC", "cal NEC", "cal Abs")
ABSTENTION = (
    (0.01, "0.006 0.638 61.5 0.005 0.534 41.1"),
    (0.1, "0.030 0.299 12.3 0.025 0.249 14.1"),
    (0.2, "0.052 0.521 6.7 0.035 0.355 8.2"),
    (0.4, "0.076 0.756 2.0 0.046 0.456 2.3"),
    (0.6, "0.079 0.786 0.0 0.047 0.467 0.0"),
    (1.0, "0.079 0.786 0.0 0.047 0.467 0.0"),
)

# Table "ec_multiclass", K = 10: cal, mc1, mc2 of each metric, as is and after two calibrations.
SCORING_COLUMNS = tuple(
    f"{metric} {kind}" for metric in ("NEC", "NECabs", "XE", "BR") for kind in ("cal", "mc1", "mc2")
)
SCORING = {
    "Datap": "0.25 0.29 0.25 0.14 0.17 0.93 0.13 0.17 0.57 0.21 0.26 0.70",
    "Datap-temcal": "0.25 0.29 0.25 0.14 0.17 0.14 0.13 0.17 0.13 0.21 0.26 0.21",
    "Datap-affcal": "0.25 0.25 0.25 0.14 0.14 0.14 0.13 0.13 0.13 0.21 0.21 0.21",
    "Mismp": "1.11 0.70 1.11 0.52 0.61 1.00 0.50 0.48 0.99 0.86 0.70 1.58",
    "Mismp-temcal": "1.11 0.70 1.11 0.51 0.39 0.51 0.50 0.40 0.50 0.86 0.58 0.86",
    "Mismp-affcal": "0.25 0.25 0.25 0.14 0.14 0.14 0.13 0.13 0.13 0.21 0.21 0.21",
}

# Table "ec_multiclass_calloss": relative calibration loss and calibration error, in percent.
CALIBRATION_COLUMNS = tuple(
    f"{metric} {kind}" for metric in ("XE", "BR", "ECEmc") for kind in ("cal", "mc1", "mc2")
)
CALIBRATION = {
    "Datap": "0 23 77 0 20 71 0 2 22",
    "Datap-temcal": "0 23 0 0 20 0 0 2 0",
    "Datap-affcal": "0 0 0 0 0 0 0 0 0",
    "Mismp": "74 73 87 76 71 87 2 9 28",
    "Mismp-temcal": "74 68 74 76 65 76 1 1 1",
    "Mismp-affcal": "0 0 0 0 0 0 0 0 0",
}

# Text beside figure "metrics_vs_thr": NEC with beta^2 = 2 of LR-mc1, at the best threshold and at
# that of Bayes decision theory. They hold on the author's grid of thresholds.
THRESHOLD_TEXT = {"best": "0.366", "bayes": "0.604"}
