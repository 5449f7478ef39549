"""Draws pairs of bars as SVG, each pair on its own scale; nothing but text."""

from xml.sax.saxutils import escape

Bars = tuple[str, list[tuple[str, float, str]]]  # title; who, length, label

WIDTH = 720
LEFT = 90
LONGEST = 480
BAR = 18
COLOURS = {"ours": "#2563a8", "baseline": "#9aa5b1"}


def draw(title: str, groups: list[Bars]) -> str:
    """Return one picture with a group of bars below each other."""
    parts: list[str] = [text(16, 26, title, "600")]
    top = 44
    for name, bars in groups:
        parts.append(text(16, top + 14, name))
        top += 24
        longest = max(length for _, length, _ in bars)
        for who, length, label in bars:
            parts += bar(top, who, length / longest, label)
            top += BAR + 4
        top += 10
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}"'
        f' width="{WIDTH}" height="{top}" role="img"'
        ' font-family="sans-serif" font-size="13">'
    )
    paper = f'<rect width="{WIDTH}" height="{top}" fill="#ffffff"/>'
    return "\n".join(
        [head, f"<title>{escape(title)}</title>", paper, *parts, "</svg>\n"]
    )


def bar(top: int, who: str, part: float, label: str) -> list[str]:
    length = max(1.0, part * LONGEST)
    rect = (
        f'<rect x="{LEFT}" y="{top}" width="{length:.1f}" height="{BAR}"'
        f' fill="{COLOURS[who]}"/>'
    )
    base = top + BAR - 4
    return [text(24, base, who), rect, text(LEFT + length + 8, base, label)]


def text(x: float, y: float, words: str, weight: str = "400") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}"'
    return f'<text {place} fill="#1f2933" font-weight="{weight}">{escape(words)}</text>'
