"""Pages that load nothing and run no script: their policy allows their own style alone."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

from scrollwork.reporting.page.environment import environment
from scrollwork.reporting.page.files import styles


def unscripted_page(template: str, stylesheets: Sequence[str], **values: Any) -> str:
    """Render a template that begins with unscripted_head.html, with values. Equal values give equal bytes."""
    from markupsafe import Markup

    style = styles(*stylesheets)
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    policy = Markup(f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
    return environment().get_template(template).render(policy=policy, style=Markup(style), **values)
