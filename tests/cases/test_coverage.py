"""Which test covers which public report, for the areas of the cases in this folder.

A report that a part of this version cannot meet has the reason in place of a test.
Areas: canonicalisation and hashing; command line and installation; upgrades; truth
maintenance; queries.
"""

import re
from pathlib import Path

import pytest

from cases.named import functions_of, is_there

TESTS = Path(__file__).parent.parent
DOCS = TESTS.parent / "docs"
NAMED = re.compile(r"`([a-z_]+(?:/[a-z_]+)*\.py)::(test_\w+)`")

# Canonicalisation and hashing -------------------------------------------------

CANONICAL = {
    "BC-037": [
        "terms/test_cases_of_terms.py::test_bc_037_composed_and_decomposed_accents_are_one_name",
        "seat/test_same_bytes.py::test_bc_037_composed_and_decomposed_are_one",
        "seat/test_same_bytes.py::test_bc_037_names_of_contexts_have_no_accents",
    ],
    "BC-054": [
        "history/test_cbor.py::test_bc_054_a_repeated_key_is_refused",
        "history/test_stateproof.py::test_bc_054_a_repeated_name_is_refused_anywhere",
    ],
    "BC-055": ["history/test_cbor.py::test_bc_055_another_spelling_is_refused"],
    "BC-077": ["history/test_cbor.py::test_bc_077_both_orders_agree_on_text_keys"],
    "BC-100": ["seat/test_same_bytes.py::test_bc_100_times_are_whole_milliseconds"],
    "BC-112": [
        "terms/test_cases_of_terms.py::test_bc_112_text_of_any_length_comes_back_byte_for_byte",
        "history/test_cbor.py::test_bc_112_no_length_is_special",
        "seat/test_same_bytes.py::test_bc_112_no_length_changes_a_byte",
        "cases/test_sizes.py::test_bc_112_no_length_changes_on_the_way_to_another_seat",
    ],
    "BC-117": [
        "cases/test_codec.py::test_bc_117_the_bytes_are_those_of_the_definition",
        "cases/test_codec.py::test_bc_117_the_codec_is_one_that_was_tried",
    ],
    "BC-118": ["history/test_cbor.py::test_bc_118_tags_and_references_are_refused"],
    "BC-126": [
        "terms/test_cases_of_terms.py::test_bc_126_text_has_no_nan_and_no_infinities",
        "terms/test_cases_of_terms.py::test_bc_126_bytes_have_one_form_of_zero_and_no_nan",
        "history/test_cbor.py::test_bc_126_no_float_in_any_form",
        "seat/test_same_bytes.py::test_bc_126_no_number_without_one_value",
    ],
    "BC-127": [
        "cases/test_intake.py::test_bc_127_every_intake_gives_a_value_or_our_refusal",
        "history/test_standalone.py::test_bc_127_any_input_is_refused_by_both",
    ],
    "BC-128": [
        "terms/test_cases_of_terms.py::test_bc_128_output_does_not_depend_on_hash_seed_or_locale",
        "history/test_seeds.py::test_bc_128_no_output_depends_on_the_hash_seed",
        "seat/test_same_bytes.py::test_bc_128_no_seed_and_no_locale_changes_a_byte",
        "remote/test_exchange_readable.py::test_bc_128_bytes_depend_on_no_hash_seed_and_no_locale",
    ],
}  # fmt: skip

# Command line, use, installation ----------------------------------------------

COMMANDS = {
    "BC-013": [
        "faces/test_envelope.py::test_every_verb_answers_in_json",
        "faces/test_envelope.py::test_where_there_is_no_seat",
        "faces/test_envelope.py::test_a_usage_error_of_every_verb",
        "faces/test_envelope.py::test_bc_013_surroundings_do_not_show",
        "faces/test_envelope.py::test_bc_013_into_a_file",
        "cases/test_every_verb.py::test_bc_013_every_verb_where_the_store_is_none",
        "cases/test_every_verb.py::test_bc_013_every_verb_in_odd_surroundings",
        "cases/test_every_verb.py::test_bc_013_every_write_where_the_store_is_locked",
        "cases/test_every_verb.py::test_bc_013_every_verb_where_the_remote_is_down",
    ],
    "BC-045": [
        "faces/test_finding.py::test_bc_045_no_git_is_one_sentence",
        "check/test_wheel.py::test_bc_045_the_wheel_installs_alone_and_works",
    ],
    "BC-046": [
        "faces/test_finding.py::test_bc_046_from_a_subfolder",
        "faces/test_finding.py::test_bc_046_in_a_git_repository",
        "faces/test_finding.py::test_bc_046_what_is_named_and_no_seat_is_an_error",
        "faces/test_finding.py::test_bc_046_nothing_is_made_without_init",
        "faces/test_finding.py::test_bc_046_the_current_directory_is_gone",
    ],
    "BC-092": "no sockets: this version has no daemon",
    "BC-093": [
        "store/test_lock.py::test_bc_033_eight_processes_lose_nothing_and_nobody_starves",
        "cases/test_long_work.py::test_bc_093_reads_do_not_wait_for_a_sync",
    ],
    "BC-107": [
        "faces/test_output.py::test_bc_107_any_locale",
        "faces/test_output.py::test_bc_107_what_has_no_spelling_is_escaped",
        "faces/test_output.py::test_bc_107_a_file_in_another_encoding",
        "faces/test_output.py::test_bc_107_a_reader_that_is_gone",
        "faces/test_output.py::test_bc_107_closed_streams",
    ],
    "BC-108": [
        "faces/test_input.py::test_bc_108_a_text_in_a_sentence",
        "faces/test_input.py::test_bc_108_a_text_that_is_no_sentence",
        "faces/test_input.py::test_bc_108_a_dash_is_not_swallowed",
        "faces/test_input.py::test_bc_108_too_long",
        "faces/test_input.py::test_several_values_of_one_flag_are_not_dropped",
    ],
}  # fmt: skip

# Upgrades and migrations ------------------------------------------------------

UPGRADES = {
    "BC-027": [
        "seat/test_read_only.py::test_bc_027_reading_changes_no_file",
        "cases/test_every_verb.py::test_bc_027_no_reading_verb_changes_a_file",
        "cases/test_every_verb.py::test_bc_027_a_rehearsal_leaves_what_is_there",
        "store/test_migrations.py::test_bc_027_a_newer_store_is_refused_untouched",
    ],
    "BC-065": [
        "store/test_migrations.py::test_bc_065_an_upgrade_changes_no_row_and_is_done_once"
    ],
    "BC-094": [
        "store/test_migrations.py::test_bc_094_a_step_that_fails_leaves_the_old_store",
        "store/test_migrations.py::test_bc_094_a_full_disk_leaves_the_old_store",
        "store/test_migrations.py::test_bc_094_killed_at_any_moment_it_is_old_or_new",
    ],
    "BC-109": [
        "store/test_migrations.py::test_bc_109_after_an_upgrade_all_is_found_under_its_old_locator"
    ],
    "BC-122": [
        "history/test_record.py::test_unknown_keys_are_kept_and_written_back",
        "history/test_record.py::test_another_version_is_kept_and_not_interpreted",
        "trust/test_statements.py::test_an_unknown_kind_is_kept_and_not_interpreted",
        "remote/test_exchange_push.py::test_a_remote_of_a_newer_format_is_refused_before_anything_moves",
        "cases/test_newer.py::test_bc_122_a_newer_record_holds_its_seat_alone_until_it_is_known",
        "cases/test_newer.py::test_bc_122_a_newer_record_in_the_own_history_is_named",
    ],
    "BC-130": [
        "kb/test_locality.py::test_cost_follows_what_is_touched",
        "cases/test_long_work.py::test_bc_130_a_long_load_answers_reads_meanwhile",
        "cases/test_long_work.py::test_bc_130_no_reading_verb_does_long_work",
    ],
}  # fmt: skip

# Truth maintenance ------------------------------------------------------------

BELIEF = {
    "BC-022": [
        "cases/test_truth_maintenance.py::test_bc_022_a_conclusion_goes_with_its_last_reason",
        "kb/test_acceptance_c10.py::test_e12_a_conclusion_has_no_author_until_somebody_says_it",
    ],
    "BC-023": [
        "cases/test_truth_maintenance.py::test_bc_023_a_circle_falls_with_what_entered_it",
        "cases/test_truth_maintenance.py::test_bc_023_a_circle_through_three_seats",
    ],
    "BC-038": [
        "cases/test_truth_maintenance.py::test_bc_038_every_reading_agrees_about_every_claim",
    ],
    "BC-039": [
        "cases/test_truth_maintenance.py::test_bc_039_two_resolutions_are_both_there_and_clash",
        "cases/test_truth_maintenance.py::test_bc_039_ten_processes_say_their_word_at_once",
        "cases/test_truth_maintenance.py::test_bc_039_who_loses_a_change_is_told",
    ],
    "BC-083": [
        "cases/test_truth_maintenance.py::test_bc_083_what_several_stand_against_stays_out_until_all_have_gone",
        "cases/test_truth_maintenance.py::test_bc_083_what_comes_and_goes_in_one_edit_was_never_there",
        "kb/test_acceptance_c10.py::test_e8_an_edit_adds_before_it_removes_and_nothing_flickers",
    ],
    "BC-084": [
        "cases/test_truth_maintenance.py::test_bc_084_no_index_keeps_what_was_withdrawn",
    ],
    "BC-085": [
        "cases/test_truth_maintenance.py::test_bc_085_what_a_narrower_rule_does_not_give_is_gone_at_once",
        "cases/test_truth_maintenance.py::test_bc_085_less_standing_has_its_effect_at_once",
    ],
    "BC-086": [
        "cases/test_truth_maintenance.py::test_bc_086_a_rule_of_two_seats_stands_until_both_have_withdrawn_it",
    ],
    "BC-087": [
        "cases/test_truth_maintenance.py::test_bc_087_a_withdrawn_conclusion_is_served_nowhere",
    ],
    "BC-101": [
        "cases/test_truth_maintenance.py::test_bc_101_edges_and_kinds_point_as_their_words_say",
        "cases/test_truth_maintenance.py::test_bc_101_joining_makes_the_channel_see_the_agent",
        "cases/test_truth_maintenance.py::test_bc_101_a_dispute_contests_its_target_and_not_its_author",
    ],
    "BC-102": [
        "cases/test_truth_maintenance.py::test_bc_102_no_two_sentences_can_wait_for_each_other",
        "cases/test_truth_maintenance.py::test_bc_102_the_command_line_lists_what_waits_with_ids",
        "cases/test_truth_maintenance.py::test_bc_102_a_ring_of_seats_that_wait_comes_to_rest",
        "remote/test_exchange_waiting.py::test_two_seats_of_one_pull_are_counted_at_its_end",
    ],
    "BC-103": [
        "cases/test_truth_maintenance.py::test_bc_103_a_reply_to_what_is_not_here_is_refused_at_the_keyboard",
        "cases/test_truth_maintenance.py::test_bc_103_a_reply_by_anything_but_a_whole_locator_is_refused",
        "cases/test_truth_maintenance.py::test_bc_103_nobody_takes_back_the_words_of_another_or_its_own_twice",
        "cases/test_truth_maintenance.py::test_bc_103_a_peers_reply_waits_for_its_target_and_takes_effect_with_it",
        "remote/test_exchange_waiting.py::test_a_reply_waits_is_counted_and_takes_effect_when_its_target_comes",
    ],
}  # fmt: skip

# Queries ----------------------------------------------------------------------

QUERIES = {
    "BC-040": [
        "cases/test_queries.py::test_bc_040_what_is_no_leading_prefix_names_nothing",
        "cases/test_queries.py::test_bc_040_a_whole_id_and_any_prefix_of_eight_are_the_same",
        "cases/test_queries.py::test_bc_040_a_prefix_takes_back_only_what_it_begins",
        "seat/test_writes.py::test_a_prefix_that_begins_two_locators_lists_both",
    ],
    "BC-049": [
        "cases/test_queries.py::test_bc_049_since_takes_the_number_of_an_event_and_nothing_else",
        "cases/test_queries.py::test_bc_049_a_time_is_the_same_in_every_zone",
    ],
    "BC-088": [
        "cases/test_queries.py::test_bc_088_all_that_is_reached_through_circles",
        "cases/test_queries.py::test_bc_088_a_long_chain_of_kinds_contexts_and_steps",
    ],
    "BC-089": [
        "cases/test_queries.py::test_bc_089_what_one_process_writes_every_other_reads_at_once",
        "cases/test_queries.py::test_bc_089_a_command_reads_what_the_one_before_has_written",
    ],
    "BC-104": [
        "cases/test_queries.py::test_bc_104_nothing_no_seat_and_a_damaged_one_are_told_apart",
        "cases/test_queries.py::test_bc_104_a_misspelt_choice_is_an_error_that_lists_them",
        "cases/test_queries.py::test_bc_104_an_unknown_agent_context_and_seat_are_no_empty_answers",
        "faces/test_envelope.py::test_bc_104_nothing_found_no_seat_and_failed_differ",
    ],
}  # fmt: skip

COVERED = {**CANONICAL, **COMMANDS, **UPGRADES, **BELIEF, **QUERIES}


@pytest.mark.parametrize("case", COVERED)
def test_every_report_has_tests_that_exist_or_a_reason(case: str) -> None:
    found = COVERED[case]
    if isinstance(found, str):
        assert len(found.split()) > 3, "a reason is a sentence"
    else:
        assert found
        assert [test for test in found if not is_there(test)] == []


def test_no_test_of_a_report_is_forgotten() -> None:
    """A report whose id is in the name of a test of ours is in the table."""
    own = {
        f"BC-{name[8:11]}"
        for path in TESTS.glob("cases/test_*.py")
        for name in functions_of(f"cases/{path.name}")
        if re.match(r"test_bc_\d{3}", name)
    }
    assert own <= COVERED.keys()


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_the_tests_that_pages_name_exist(page: Path) -> None:
    named = NAMED.findall(page.read_text(encoding="utf-8"))
    assert [pair for pair in named if not is_there("::".join(pair))] == []
    assert len(named) > 20 or page.stem != "threat-model"


def test_a_name_that_is_gone_is_found() -> None:
    assert not is_there("cases/test_coverage.py::test_gone")
    assert not is_there("cases/test_gone.py::test_gone")
    assert is_there("cases/test_coverage.py::test_a_name_that_is_gone_is_found")
