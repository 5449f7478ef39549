"""The git of tests and servers, which stays where a test takes it off the PATH."""

from __future__ import annotations

import shutil

GIT = shutil.which("git") or "git"
