"""What a conversation comes to, as lines of text and notes for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.faces.streams import on_a_line

if TYPE_CHECKING:
    from koinii.faces.actions import Named

    Lines = tuple[list[str], list[str]]


def counted(found: Named) -> Lines:
    """Tell a count and what it has ruled."""
    lines = [f"for {found['for']}  against {found['against']}  {found['outcome']}"]
    if found["ruling"]:
        lines.append(f"ruling     {found['ruling']}")
    lines += [f"withdrawn  {one}" for one in found["withdrawn"]]
    if found["voters_verified"]:
        return lines, []
    return lines, ["voters unverified: here keys introduce themselves"]


def gathered(found: Named) -> Lines:
    """Tell who is gathered."""
    return [*found["agents"]], [] if found["agents"] else ["nobody is gathered there"]


def disagreements(found: Named) -> Lines:
    """Tell each disagreement by its sides."""
    lines = [
        line
        for one in found["disagreements"]
        for line in (
            " and ".join(one["between"]),
            *(
                f"  {side['agent']}  {side['sentence']}  {side['locator'][:19]}"
                for side in one["sides"]
            ),
        )
    ]
    notes = [] if lines else ["none"]
    if not found["agents"]:
        notes.append("nobody is gathered there; koinii convene gathers agents")
    return lines, [*notes, *unseen(found)]


def unseen(found: Named) -> list[str]:
    """Tell who answers nothing of what it says, and what it can say about that."""
    if "unknown_agent" in found:
        return [f"nobody named {found['unknown_agent']} is known here"]
    return [
        f"{one['agent']} answers nothing of what it says until it says so: "
        f'koinii assert "{one["edge"]}" --as {one["agent"]}'
        for one in found.get("unseen", ())
    ]


def disregarded(found: Named) -> Lines:
    """Tell the mask, or the masks."""
    if "locator" in found:
        return [found["locator"]], []
    lines = [
        f"{one['mask']}  of {one['target']}"
        + ("" if one["in_force"] else "  without effect")
        for one in found["disregards"]
    ]
    return lines, [] if lines else ["nothing is disregarded"]


def registry(found: list[Named]) -> Lines:
    """Tell each recorded agent."""
    told = ((one["agent"], one["display_name"], one["trust"]) for one in found)
    lines = ["  ".join(on_a_line(part) for part in row if part) for row in told]
    return lines, [] if lines else ["nobody is recorded"]
