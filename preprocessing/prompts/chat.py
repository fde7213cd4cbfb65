"""Chat adaptation (ZeroSCROLLS, fact sheet 3.5): the prompts for ChatGPT, GPT-4 and Claude."""

from collections.abc import Sequence

from scrollwork.preprocessing.prompts.template import BLANK, Template
from scrollwork.records.prompt import Part

VARIANTS = ("plain", "chat", "claude")
HUMAN, ASSISTANT = "\n\nHuman: ", "\n\nAssistant:"


def answer_type(template: Template) -> str:
    """Return the kind of answer: the response header without its colon ("Answer", "Percentage of Positive Reviews")."""
    return template.response_header.replace(":", "").strip()


def answer_tag(template: Template) -> str:
    """Return Claude's tag: the kind of answer in lower case with underscores."""
    return answer_type(template).lower().replace(" ", "_")


def asks_for_tag(template: Template) -> bool:
    """Return whether an answer can be asked for in a tag: not of summaries and SCROLLS inputs (no response header)."""
    return template.kind != "summarization" and bool(template.response_header)


def adapt(parts: Sequence[Part], template: Template, variant: str, sentence: str) -> tuple[Part, ...]:
    """Adapt the parts of a prompt to one of VARIANTS. Raises ValueError for another one.

    chat: QA and aggregation tasks get one space and `sentence` after the instruction; the prompt ends with the query.
    claude: wrapped as Human and Assistant, the sentence asks for tags, and the opening tag is pre-filled.
    """
    if variant == "plain":
        return tuple(parts)
    asks = asks_for_tag(template)
    kept = without_response_header(parts)
    if variant == "chat":
        return with_sentence(kept, sentence) if asks and sentence else kept
    if variant != "claude":
        raise ValueError(f"unknown prompt variant {variant!r}; there are: {', '.join(VARIANTS)}")
    kind, tag = answer_type(template), answer_tag(template)
    please = f"{sentence.removesuffix('.')}, and please" if sentence else "Please"
    request = f"{please} highlight your final {kind.lower()} with <{tag}></{tag}> tags."
    ending = f"{ASSISTANT} {kind}: <{tag}>" if asks else ASSISTANT
    inner = with_sentence(kept, request) if asks else kept
    return (Part("wrapper", HUMAN), *inner, Part("wrapper", ending))


def without_response_header(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Cut at the end of the query; without a query, the two newlines after the document stay (fact sheet 3.5, 2)."""
    kept = [part for part in parts if part.role != "response_header"]
    roles = [part.role for part in kept]
    if "query" in roles and kept[-1] == Part("gap", BLANK):
        kept.pop()
    return tuple(kept)


def with_sentence(parts: Sequence[Part], sentence: str) -> tuple[Part, ...]:
    """Add one space and the sentence after the instruction."""
    return tuple(
        Part("instruction", f"{(part.text or '').strip()} {sentence}") if part.role == "instruction" else part
        for part in parts
    )
