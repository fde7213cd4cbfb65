"""Where alerts go: blocks of fixed names, which the user makes on the Prefect server (docs/alerts.md). They hold the
addresses and secrets; nothing of them is read here but their ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

WEBHOOK, SLACK, MAIL = "scrollwork-alerts", "scrollwork-slack", "scrollwork-mail"
OF_WEBHOOKS = "webhook"  # the slug of Prefect's block type for WEBHOOK and SLACK
LONGEST = 800  # characters of a message

# The text of a message, on one line. What vendors say may be in it: in Slack's form and in mail no tag, link, image or
# mention is left of that. In JSON nothing needs to be taken away: the template's own filter quotes it.
PLAIN = "{% set text %}MESSAGE{% endset %}{% set text = text.split() | join(' ') | truncate(LONGEST, true) %}"
UNWANTED = {"&": "&amp;", "<": "‹", ">": "›", "](": "] (", "@": "@\u200b"}
TAME = "text" + "".join(f" | replace('{one}', '{other}')" for one, other in UNWANTED.items())


@dataclass(frozen=True)
class Receiver:
    """A block to which alerts are sent. name: one of WEBHOOK, SLACK, MAIL. block: the id of its document."""

    name: str
    block: str

    def action(self, kind: str, message: str) -> dict[str, Any]:
        """Return the action that sends a message. message: a template of Prefect; kind: of the alert."""
        text = PLAIN.replace("MESSAGE", message).replace("LONGEST", str(LONGEST))
        if self.name == MAIL:
            body = {"subject": f"scrollwork: {kind}", "body": f"{text}{{{{ {TAME} }}}}"}
            return {"type": "send-notification", "block_document_id": self.block, **body}
        if self.name == SLACK:
            sent = f'{{"text": "scrollwork, {kind}: " ~ ({TAME})}}'
        else:
            sent = (
                f'{{"source": "scrollwork", "kind": "{kind}", "text": text, "about": event.resource.id, '
                '"event": event.event, "at": event.occurred | string}'
            )
        return {"type": "call-webhook", "block_document_id": self.block, "payload": f"{text}{{{{ {sent} | tojson }}}}"}


def receivers_of(api: Callable[[str, str, Any], Any]) -> list[Receiver]:
    """Return the receivers that a server has, by its API (automations.Api). A block of these names that cannot send is
    passed over. Raises OSError."""
    names = {"name": {"any_": [WEBHOOK, SLACK, MAIL]}}
    found = api("POST", "block_documents/filter", {"block_documents": names, "include_secrets": False})
    fitting = [one for one in found if fits(str(one["name"]), one)]
    first = {str(one["name"]): Receiver(str(one["name"]), str(one["id"])) for one in reversed(fitting)}
    return [first[name] for name in sorted(first)]


def fits(name: str, block: dict[str, Any]) -> bool:
    """Return whether a block document can do what a receiver of this name does."""
    if name == MAIL:
        return "notify" in ((block.get("block_schema") or {}).get("capabilities") or ())
    return bool((block.get("block_type") or {}).get("slug") == OF_WEBHOOKS)


def setting_up(command: str = "scrollwork up") -> str:
    """Return the line that says how alerts get somewhere. command: that applies them."""
    return (
        f"alerts go nowhere yet: make a Webhook block named {WEBHOOK} (JSON) or {SLACK} (Slack's form), or a "
        f"notification block named {MAIL}, on the page Blocks of the UI; then {command} again"
    )
