"""Metric names and their modules. Only a table: an artifact's key depends on the metric's module itself."""

from collections.abc import Mapping

MODULES: Mapping[str, str] = {
    "rouge_geo": "scrollwork.scoring.metrics.rouge_geo",
    "f1": "scrollwork.scoring.metrics.f1",
    "f1_scrolls": "scrollwork.scoring.metrics.f1_scrolls",
    "em": "scrollwork.scoring.metrics.em",
    "accuracy": "scrollwork.scoring.metrics.accuracy",
    "es": "scrollwork.scoring.metrics.es",
    "concordance": "scrollwork.scoring.metrics.concordance",
    "leval_exam": "scrollwork.scoring.metrics.leval_exam",
    "leval_exam_multi": "scrollwork.scoring.metrics.leval_exam_multi",
    "longbench_qa_f1": "scrollwork.scoring.metrics.longbench.qa_f1",
    "longbench_rouge_l": "scrollwork.scoring.metrics.longbench.rouge_l",
    "longbench_classification": "scrollwork.scoring.metrics.longbench.classification",
    "longbench_retrieval": "scrollwork.scoring.metrics.longbench.retrieval",
    "longbench_count": "scrollwork.scoring.metrics.longbench.count",
    "longbench_code": "scrollwork.scoring.metrics.longbench.code",
    "rouge_gm": "scrollwork.scoring.metrics.rouge_gm",
    "musique_output": "scrollwork.scoring.metrics.musique_output",
    "conll": "scrollwork.scoring.metrics.conll",
    "fic_proxy": "scrollwork.scoring.metrics.fic_proxy",
    "dolce_accuracy": "scrollwork.scoring.metrics.dolce_accuracy",
}
# Scored by models that a run names; the module itself has what needs none of them.
JUDGED: Mapping[str, str] = {"fic": "scrollwork.scoring.metrics.fic"}
