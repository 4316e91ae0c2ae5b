"""Fine-tuning in five folds of a collection, of phase one on queries and of phase three on chunks (training.residual).

    python -m training.residual_folds run --sets dkl-test.json.gz --collection cranfield --first S=models/small \
        --third T=models/tiny --vocabulary models/tiny --rate 2e-4 --out cranfield.npz
    python -m training.residual_folds report cranfield.npz cisi.npz

Three parts train, one chooses the epoch, one is measured. Kept is nDCG@20 of every validation and test query at every α and β of
the grid, so that what is chosen where can be decided afterwards: `report` shows α .15, β .95 (the development sets' choice) and
both chosen on the validation queries.
"""

from __future__ import annotations

import argparse
import copy
import sys
from pathlib import Path

import numpy as np

from .clock import log
from .measure import paired_t_test
from .model import CrossEncoder
from .residual import GRID, Feedback, add_options, fit, load, shorten
from .score import Pipeline

FOLDS = 5
FLAT = [point for point, (alpha, _) in enumerate(GRID) if alpha == 0]
FIXED_FLAT, FIXED = GRID.index((0.0, 0.95)), GRID.index((0.15, 0.95))


class Study:
    """One collection, its parts, and what was measured: "system/validation/fold" and "system/test/fold" → [queries, GRID]."""

    def __init__(
        self, entry: dict, whole: Pipeline, models: dict[str, CrossEncoder], options: argparse.Namespace
    ):
        self.entry, self.whole, self.models, self.options = entry, whole, models, options
        self.letter = options.first[0]
        self.tables: dict[str, np.ndarray] = {}

    def feedback(self, first: CrossEncoder) -> Feedback:
        """Phases one and two by a model; the texts are tokenised once."""
        pipeline = copy.copy(self.whole)
        pipeline.models, pipeline.phase_one_cache, pipeline.phase_two_cache = {self.letter: first}, {}, {}
        return Feedback(self.entry, pipeline, self.letter + self.letter)

    def parts(self, fold: int) -> dict[str, list[int]]:
        part = {"test": fold, "validation": (fold + 1) % FOLDS}
        queries = range(len(self.whole.queries))
        out = {name: [q for q in queries if q % FOLDS == number] for name, number in part.items()}
        return out | {"train": [q for q in queries if q % FOLDS not in part.values()]}

    def measure(
        self, feedback: Feedback, third: CrossEncoder, parts: dict[str, list[int]]
    ) -> dict[str, np.ndarray]:
        expansion = feedback.phase_three(third, parts["validation"] + parts["test"])
        return {
            name: np.stack([feedback.measure(q, expansion[q]) for q in parts[name]])
            for name in ("validation", "test")
        }

    def keep(self, system: str, fold: int, measured: dict[str, np.ndarray]) -> None:
        self.tables |= {f"{system}/{name}/{fold}": table for name, table in measured.items()}

    def fine_tune_first(self, untuned: Feedback, fold: int, parts: dict[str, list[int]]) -> Feedback:
        """Phases one and two by the weights whose MaxP is best on the validation queries, the first ones included."""
        model = copy.deepcopy(self.models[self.letter])
        best: list[tuple[float, Feedback]] = []

        def judge(_: int) -> None:
            here = self.feedback(copy.deepcopy(model))
            nothing = (np.zeros(here.pipeline.counts[q]) for q in parts["validation"])
            table = np.stack([here.measure(q, n) for q, n in zip(parts["validation"], nothing, strict=True)])
            best.append((float(table.mean(0)[FLAT].max()), here))

        judge(0)
        fit(model, [(untuned, parts["train"])], self.options, "query", self.options.first_rate, judge, fold)
        return max(best, key=lambda found: found[0])[1]

    def fine_tune_third(
        self, feedback: Feedback, loss: str, fold: int, parts: dict[str, list[int]]
    ) -> dict[str, np.ndarray]:
        """What the best of every second epoch measures."""
        model = copy.deepcopy(self.models["third"])
        found: list[dict[str, np.ndarray]] = []

        def judge(epoch: int) -> None:
            if epoch % 2 == 0:
                found.append(self.measure(feedback, model, parts))

        fit(model, [(feedback, parts["train"])], self.options, loss, self.options.rate, judge, fold)
        return max(found, key=lambda measured: measured["validation"].mean(0).max())

    def run(self) -> None:
        untuned = self.feedback(self.models[self.letter])
        for fold in range(FOLDS):
            parts = self.parts(fold)
            tuned = self.fine_tune_first(untuned, fold, parts)
            for basis, feedback in (("as it is", untuned), ("tuned", tuned)):
                self.keep(f"{basis}, T as it is", fold, self.measure(feedback, self.models["third"], parts))
                for loss in ("listwise", "residual"):
                    self.keep(f"{basis}, T {loss}", fold, self.fine_tune_third(feedback, loss, fold, parts))
            log(f"fold {fold + 1} of {FOLDS}")


def report(path: Path) -> None:
    tables = np.load(path)
    for system in dict.fromkeys(name.split("/")[0] for name in tables):
        chosen: dict[str, list[np.ndarray]] = {"α .15, β .95": [], "chosen": []}
        base: dict[str, list[np.ndarray]] = {name: [] for name in chosen}
        for fold in range(FOLDS):
            validation, test = (tables[f"{system}/{part}/{fold}"] for part in ("validation", "test"))
            means = validation.mean(0)
            base["α .15, β .95"].append(test[:, FIXED_FLAT])
            chosen["α .15, β .95"].append(test[:, FIXED])
            base["chosen"].append(test[:, FLAT[int(means[FLAT].argmax())]])
            chosen["chosen"].append(test[:, int(means.argmax())])
        for (name, deep), flat in zip(chosen.items(), base.values(), strict=True):
            expanded, reranked = np.concatenate(deep), np.concatenate(flat)
            gain, p = expanded.mean() - reranked.mean(), paired_t_test(expanded, reranked)
            print(
                f"{path.stem}: phase one {system}; {name}:"
                f" MaxP {reranked.mean():.4f}, BERT-QE {gain:+.4f} (p {p:.3f})"
            )


def main() -> None:
    if sys.argv[1:2] == ["report"]:
        for path in sys.argv[2:]:
            report(Path(path))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["run"])
    add_options(parser)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--first-rate", type=float, default=5e-5)
    options = parser.parse_args()
    sets, pieces, models = load(options)
    entry = sets[options.collection]
    shorten(entry, options.limit)
    device = next(models["third"].parameters()).device
    study = Study(
        entry, Pipeline(entry, pieces, {}, device, options.chunk_words, options.chunks), models, options
    )
    study.run()
    np.savez_compressed(options.out, **study.tables)
    report(options.out)


if __name__ == "__main__":
    main()
