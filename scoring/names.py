"""Metric names and the modules that they stand for. A table alone: a key knows the module itself."""

from collections.abc import Mapping

MODULES: Mapping[str, str] = {
    "rouge_geo": "scoring.rouge_geo",
    "f1": "scoring.f1",
    "f1_scrolls": "scoring.f1_scrolls",
    "em": "scoring.em",
    "accuracy": "scoring.accuracy",
    "es": "scoring.es",
    "concordance": "scoring.concordance",
    "leval_exam": "scoring.leval_exam",
    "leval_exam_multi": "scoring.leval_exam_multi",
    "longbench_qa_f1": "scoring.longbench_qa_f1",
    "longbench_rouge_l": "scoring.longbench_rouge_l",
    "longbench_classification": "scoring.longbench_classification",
    "longbench_retrieval": "scoring.longbench_retrieval",
    "longbench_count": "scoring.longbench_count",
    "longbench_code": "scoring.longbench_code",
    "rouge_gm": "scoring.rouge_gm",
    "musique_output": "scoring.musique_output",
    "conll": "scoring.conll",
    "fic_proxy": "scoring.fic_proxy",
    "dolce_accuracy": "scoring.dolce_accuracy",
}
# Scored by models that a run names: what asks none of them is the module's own.
JUDGED: Mapping[str, str] = {"fic": "scoring.fic"}
