"""Profiles of hypothesis: `ci` by default, `soak` where KOINII_SOAK is set."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("ci", deadline=None, print_blob=True)
settings.register_profile(
    "soak",
    settings.get_profile("ci"),
    max_examples=2_000,
    stateful_step_count=200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("soak" if os.environ.get("KOINII_SOAK") else "ci")
