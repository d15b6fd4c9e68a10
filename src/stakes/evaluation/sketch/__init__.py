"""A sketch of scores: little enough for a page, enough to judge a system at any other costs."""

from stakes.evaluation.sketch.make import BY_CASE, MOST_CLASSES, TOO_MANY, Source, sketch_of
from stakes.evaluation.sketch.sketch_records import (
    LeastCost,
    LevelSketch,
    RowSketch,
    Sketch,
    SketchedApplication,
)
