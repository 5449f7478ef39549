"""Where a command runs: which seat and agent it is about, and who said so.

Precedence: flag, environment, `seat.toml`, the user's `config.toml`, default.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import SurroundingsError, UsageError
from koinii.seat.layout import find
from koinii.seat.watching import unwatched

if TYPE_CHECKING:
    from collections.abc import Mapping

    from koinii.seat.layout import Layout
    from koinii.seat.watching import Watch

COLORS = ("auto", "always", "never")
_USER_SETTINGS = ("agent", "color")


class Flags(NamedTuple):
    """The flags every verb takes, before or after its name."""

    directory: str | None = None  # -C
    json: bool = False
    quiet: bool = False
    verbose: bool = False
    dry_run: bool = False
    no_input: bool = False
    color: str | None = None  # auto, always or never


class Setting(NamedTuple):
    """One setting in force and where it comes from."""

    name: str
    value: str
    origin: str


class Surroundings:
    """The flags, the environment and the files that decide what is meant."""

    def __init__(self, flags: Flags, environ: Mapping[str, str]) -> None:
        self.flags = flags
        self.watch: Watch = unwatched
        self.notices: list[str] = []  # of a seat that was made
        self._environ = environ

    # The seat ------------------------------------------------------------------

    def layout(self) -> Layout:
        """Return the seat that is meant.

        Raises:
            SurroundingsError: `koinii/no-seat`; what was asked for by name is
                never replaced by another.
        """
        asked, _ = self._asked()
        return find("" if asked is not None else _here(), asked=asked)

    def layout_at_least(self) -> Layout:
        """Return the seat that is meant, also where its settings are lost."""
        from koinii.seat.layout import Layout  # noqa: PLC0415 - one verb needs it

        try:
            return self.layout()
        except SurroundingsError as error:
            if error.code != "koinii/no-settings":
                raise
            return Layout(str(error.details["path"]))

    def layout_if_any(self) -> Layout | None:
        """Return the seat that is meant, None where none is named and none is found."""
        try:
            return self.layout()
        except SurroundingsError as error:
            if error.code != "koinii/no-seat" or self._asked()[0] is not None:
                raise
            return None

    def why(self) -> str:
        """Return how the seat was found, in words."""
        asked, origin = self._asked()
        if asked is not None:
            return f"{origin} {asked}"
        return f"searching upward from {_here()}"

    def _asked(self) -> tuple[str | None, str]:
        if self.flags.directory is not None:
            return self._directory(), "-C"
        seat = self._environ.get("KOINII_SEAT")
        if seat == "":
            raise _names_nothing("KOINII_SEAT", "unset KOINII_SEAT")
        return seat, "KOINII_SEAT"

    def beside(self, path: str) -> str:
        """Return a path for a new seat, which `-C` moves as it moves git's."""
        whole = os.path.join(self._directory(), path)  # noqa: PTH118 - start-up path
        if not os.path.isabs(whole):  # noqa: PTH117 - start-up path
            _here()
        return whole

    def _directory(self) -> str:
        """Return what `-C` names, '' where it is not given.

        Raises:
            SurroundingsError: it is given and names nothing, as a variable of a
                script does that was never set.
        """
        if self.flags.directory == "":
            raise _names_nothing("-C", "-C DIR")
        return self.flags.directory or ""

    # The agent -----------------------------------------------------------------

    def agent(self, flag: str | None) -> str | None:
        """Return the agent that acts; None leaves it to `seat.toml`.

        Raises:
            UsageError: KOINII_AGENT is needed, set and empty.
        """
        if flag is not None:
            return flag
        agent = self._environ.get("KOINII_AGENT")
        if agent == "":
            raise UsageError(
                "KOINII_AGENT is set and names no agent",
                hint="name one, or take it away: unset KOINII_AGENT",
                parameter="KOINII_AGENT",
            )
        return agent

    def founder(self, flag: str | None) -> str | None:
        """Return the agent a new seat is made for, None where nobody said which.

        A `seat.toml` that lies ready may still name it.
        """
        return self.agent(flag) or self.user_settings().get("agent")

    # Colour --------------------------------------------------------------------

    def color(self) -> tuple[str, str]:
        """Return `auto`, `always` or `never`, and who said so."""
        if self.flags.color is not None:
            return self.flags.color, "--color"
        if self._environ.get("NO_COLOR"):
            return "never", "NO_COLOR"
        if self._environ.get("CLICOLOR_FORCE", "0") != "0":
            return "always", "CLICOLOR_FORCE"
        color = self.user_settings().get("color")
        return (color, self.user_file()) if color else ("auto", "default")

    # The user's own file ---------------------------------------------------------

    def user_file(self) -> str:
        """Return the path of the user's `config.toml`, there or not."""
        home = self._environ.get("KOINII_HOME")
        if not home:
            home = self._environ.get("XDG_CONFIG_HOME") or os.path.join(  # noqa: PTH118 - start-up path
                self._environ.get("HOME", ""), ".config"
            )
            home = os.path.join(home, "koinii")  # noqa: PTH118 - start-up path
        return os.path.join(home, "config.toml")  # noqa: PTH118 - start-up path

    def user_settings(self) -> dict[str, str]:
        """Return what the user's file sets.

        Raises:
            SurroundingsError: `koinii/bad-config`, naming the setting.
        """
        path = self.user_file()
        if not os.path.exists(path):  # noqa: PTH110 - start-up path
            return {}
        import tomllib  # noqa: PLC0415 - most commands read no such file

        try:
            with open(path, "rb") as file:  # noqa: PTH123 - start-up path
                values = tomllib.load(file)
        except (ValueError, RecursionError) as error:  # not only what is no TOML
            raise _bad(path, str(error)) from error
        return {name: _setting(path, name, value) for name, value in values.items()}

    # All of it -------------------------------------------------------------------

    def settings(self) -> list[Setting]:
        """Return every setting in force, with its origin."""
        from koinii.seat.config import read_config  # noqa: PLC0415 - one verb needs it
        from koinii.seat.redacting import redacted  # noqa: PLC0415 - as above

        layout = self.layout()
        config = read_config(layout.config)
        found = [Setting("seat", layout.directory, self.why())]
        said = self.agent(None)
        by = layout.config if said is None else "KOINII_AGENT"
        found.append(Setting("agent", said or config.agent, by))
        found.append(Setting("mode", config.mode, layout.config))
        found.append(Setting("color", *self.color()))
        found += [
            Setting(f"remotes.{name}", url, layout.config)
            for name, url in sorted(redacted(config.remotes).items())
        ]
        return found


def _here() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - start-up path
    except FileNotFoundError:
        raise SurroundingsError(
            "the current directory is gone",
            code="koinii/no-directory",
            hint="cd to one that exists, or name the seat with -C DIR",
        ) from None


def _names_nothing(origin: str, hint: str) -> SurroundingsError:
    return SurroundingsError(
        f"{origin} names no directory", code="koinii/no-seat", hint=hint, looked=[]
    )


def _setting(path: str, name: str, value: object) -> str:
    if name not in _USER_SETTINGS:
        raise _bad(path, f"unknown setting {name}")
    if not isinstance(value, str) or not value:
        raise _bad(path, f"{name} is {value!r}, not a text")
    if name == "color" and value not in COLORS:
        raise _bad(path, f"color is {value!r}, not one of {', '.join(COLORS)}")
    return value


def _bad(path: str, reason: str) -> SurroundingsError:
    return SurroundingsError(
        f"{path}: {reason}",
        code="koinii/bad-config",
        hint="mend that line of the file",
        path=path,
    )
