"""Metric names and the modules that they stand for. A table alone: a key knows the module itself."""

from collections.abc import Mapping

MODULES: Mapping[str, str] = {
    "rouge_geo": "scrollwork.scoring.rouge_geo",
    "f1": "scrollwork.scoring.f1",
    "f1_scrolls": "scrollwork.scoring.f1_scrolls",
    "em": "scrollwork.scoring.em",
    "accuracy": "scrollwork.scoring.accuracy",
    "es": "scrollwork.scoring.es",
    "concordance": "scrollwork.scoring.concordance",
    "leval_exam": "scrollwork.scoring.leval_exam",
    "leval_exam_multi": "scrollwork.scoring.leval_exam_multi",
    "longbench_qa_f1": "scrollwork.scoring.longbench_qa_f1",
    "longbench_rouge_l": "scrollwork.scoring.longbench_rouge_l",
    "longbench_classification": "scrollwork.scoring.longbench_classification",
    "longbench_retrieval": "scrollwork.scoring.longbench_retrieval",
    "longbench_count": "scrollwork.scoring.longbench_count",
    "longbench_code": "scrollwork.scoring.longbench_code",
    "rouge_gm": "scrollwork.scoring.rouge_gm",
    "musique_output": "scrollwork.scoring.musique_output",
    "conll": "scrollwork.scoring.conll",
    "fic_proxy": "scrollwork.scoring.fic_proxy",
    "dolce_accuracy": "scrollwork.scoring.dolce_accuracy",
}
# Scored by models that a run names: what asks none of them is the module's own.
JUDGED: Mapping[str, str] = {"fic": "scrollwork.scoring.fic"}
