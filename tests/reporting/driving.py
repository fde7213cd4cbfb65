"""What a person does with a report, in a browser."""

from pathlib import Path

from browser import Tab

ROWS = "[...document.querySelectorAll('#examples tbody tr')]"
LISTED = "document.querySelectorAll('#examples tbody tr').length"
BODY = "document.getElementById('example-body').innerText"


def opened(tab: Tab, page: Path, width: int = 1400) -> None:
    """The page, with its list of examples."""
    tab.size(width)
    tab.media()
    tab.complaints.clear()
    tab.requests.clear()
    tab.blank()
    tab.open(page.as_uri())
    tab.wait(f"{LISTED} > 0")


def change(tab: Tab, select: str, value: str) -> None:
    """Choose or type into a control."""
    kind = "input" if select in ("ids", "models-filter") else "change"
    found = f"document.getElementById('{select}')"
    tab.run(f"{found}.value = {value!r}; {found}.dispatchEvent(new Event('{kind}'))")


def show(tab: Tab, name: str) -> None:
    """Open the first example of the list, and one of its tabs."""
    if not tab.run("document.getElementById('example').open"):
        tab.run("delete document.body.dataset.opened; document.querySelector('#examples tbody button').click()")
    tab.run(f"document.getElementById('tab-{name}').click()")
    tab.wait(f"(document.body.dataset.opened || '').endsWith('/{name}')")


def quiet(tab: Tab) -> None:
    """Nothing was complained of, and nothing asked of a network."""
    assert tab.complaints == []
    assert [one for one in tab.requests if not one.startswith(("file:", "about:", "blob:"))] == []
