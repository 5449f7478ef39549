"""Which test covers which public report, for the areas of the cases in this folder.

What of a report this version does not meet has the reason in place of a test.
Areas: canonicalisation and hashing; command line and installation; upgrades; truth
maintenance; queries; malicious peers; identity, signatures and trust; proofs; crash
and corruption; git between seats; scale and performance.
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

# Malicious peers and remotes ---------------------------------------------------

PEERS = {
    "BC-060": [
        "cases/test_trust.py::test_bc_060_an_old_remote_changes_no_belief_and_is_told_by_who_has_heard",
        "remote/test_cosigning.py::test_bc_060_a_third_seat_tells_that_a_remote_is_behind",
        "remote/test_exchange_hostile.py::test_bc_060_a_history_that_went_back_is_said_and_not_followed",
        "remote/test_exchange_pull.py::test_bc_060_a_remote_that_went_back_is_told_and_not_followed",
        "remote/test_exchange_push.py::test_bc_060_a_remote_that_went_back_is_filled_again_by_its_author",
        "remote/test_repository.py::test_bc_060_a_remote_that_went_back_is_told_and_can_be_mended",
        "hostile/test_kinds.py::test_who_knows_the_seat_names_it_and_nothing_changes",
    ],
    "BC-061": [
        "cases/test_trust.py::test_bc_061_no_command_prints_what_moves_a_terminal",
        "cases/test_trust.py::test_bc_061_names_in_a_hostile_ref_are_shown_as_text",
        "a page in a browser is not part of this version, which prints text and JSON",
        "faces/test_output.py::test_bc_107_what_has_no_spelling_is_escaped",
    ],
    "BC-062": [
        "cases/test_trust.py::test_bc_062_a_fetch_moves_no_ref_but_those_of_verified_seats",
        "remote/test_exchange_pull.py::test_bc_062_swapped_refs_are_refused_and_foreign_ones_not_fetched",
        "remote/test_reading.py::test_bc_062_links_submodules_executables_are_refused",
        "remote/test_repository.py::test_bc_062_a_fetch_moves_nothing_but_what_it_names",
        "remote/test_repository.py::test_bc_062_objects_that_fsck_refuses_do_not_come",
        "remote/test_exchange_pull.py::test_troubles_are_told_again_until_they_are_mended",
        "remote/test_exchange_hostile.py::test_a_forged_seat_is_refused_whole",
        "remote/test_own_ref.py::test_what_somebody_else_wrote_is_told_and_replaced",
        "hostile/test_kinds.py::test_who_knows_the_seat_names_it_and_nothing_changes",
    ],
    "BC-079": [
        "cases/test_trust.py::test_bc_079_clocks_of_2090_and_1970_decide_nothing",
        "remote/test_exchange_order.py::test_bc_079_a_clock_that_is_wrong_decides_nothing",
        "hostile/test_kinds.py::test_who_knows_the_seat_names_it_and_nothing_changes",
    ],
    "BC-081": [
        "cases/test_what_is_written.py::test_bc_081_every_intake_stops_early",
        "cases/test_what_is_written.py::test_bc_081_every_command_stops_early_in_little_memory",
        "cases/test_what_is_written.py::test_bc_081_all_that_walks_a_sentence_walks_the_deepest",
        "cases/test_what_is_written.py::test_bc_081_one_more_is_refused_on_every_way",
        "cases/test_what_is_written.py::test_bc_081_a_chain_of_five_thousand_steps",
        "history/test_manifest.py::test_bc_081_more_files_than_the_limit_are_refused",
        "remote/test_tree.py::test_bc_081_a_hostile_tree_is_refused_by_name",
        "hostile/test_kinds.py::test_who_knows_the_seat_names_it_and_nothing_changes",
    ],
    "BC-114": [
        "cases/test_trust.py::test_bc_114_a_number_out_of_line_stops_nobody",
        "cases/test_trust.py::test_bc_114_a_time_of_any_size_decides_nothing",
        "history/test_segments.py::test_bc_114_a_huge_number_is_refused_before_it_is_read",
        "hostile/test_kinds.py::test_who_knows_the_seat_names_it_and_nothing_changes",
        "hostile/test_kinds.py::test_a_newcomer_names_it_and_takes_no_more_than_is_right",
    ],
    "BC-121": [
        "remote/test_git_faults.py::test_bc_121_a_big_blob_is_fetched_in_little_memory",
        "remote/test_git_faults.py::test_bc_121_a_delta_that_grows_beyond_memory_is_refused",
        "remote/test_git_faults.py::test_bc_121_a_pack_beyond_the_file_limit_is_refused",
        "remote/test_reading.py::test_bc_121_a_tree_beyond_a_bound_is_refused",
        "remote/test_reading.py::test_bc_121_trees_that_multiply_are_refused_by_their_count",
        "remote/test_reading.py::test_bc_121_a_chain_of_trees_is_refused_by_its_depth",
        "remote/test_reading.py::test_bc_121_a_huge_tree_is_refused_by_its_header",
        "remote/test_reading.py::test_bc_121_a_huge_commit_message_is_refused_by_its_header",
        "remote/test_reading.py::test_bc_121_a_bomb_is_refused_without_inflating_it",
        "remote/test_repository.py::test_bc_121_what_no_ref_needs_is_dropped",
    ],
}  # fmt: skip

# Identity, signatures, trust ---------------------------------------------------

KEYS = {
    "BC-019": [
        "cases/test_trust.py::test_bc_019_no_command_speaks_for_who_is_not_here",
        "cases/test_trust.py::test_bc_019_no_call_speaks_for_who_is_not_here",
        "cases/test_trust.py::test_bc_019_what_a_line_says_of_its_author_is_not_who_is_shown",
        "cases/test_trust.py::test_bc_019_names_that_look_alike_are_told_apart",
        "remote/test_exchange_rules.py::test_bc_019_a_look_alike_name_is_another_agent",
        "trust/test_statements.py::test_bc_019_the_name_is_that_of_the_signing_key",
        "remote/test_exchange_rules.py::test_two_keys_for_one_name_are_told_and_neither_is_dropped",
        "hostile/test_kinds.py::test_who_knows_the_seat_names_it_and_nothing_changes",
    ],
    "BC-020": [
        "remote/test_cosigning.py::test_bc_020_a_third_seat_tells_of_two_histories_it_saw_one_of",
        "remote/test_exchange_hostile.py::test_bc_020_a_second_history_of_one_seat_is_a_fork",
        "remote/test_exchange_push.py::test_bc_020_the_second_of_two_copies_is_told",
        "remote/test_recovering.py::test_bc_020_two_copies_become_one_history_in_both_orders",
        "remote/test_recovering.py::test_bc_020_commits_that_nobody_has_seen_are_made_again",
        "remote/test_repository.py::test_bc_017_bc_020_a_value_that_was_not_expected_is_named",
        "seat/test_instance.py::test_bc_020_of_two_copies_the_second_signs_nothing",
        "remote/test_forks.py::test_two_honest_seats_end_equal_and_both_hold_the_evidence",
        "remote/test_forks.py::test_the_operator_goes_on_with_what_the_remote_shows",
    ],
    "BC-053": [
        "cases/test_signed_statements.py::test_bc_053_no_statement_passes_without_its_signature",
        "cases/test_signed_statements.py::test_bc_053_each_statement_is_of_the_kind_it_is_called",
        "cases/test_signed_statements.py::test_bc_053_no_remote_has_an_admin_that_has_not_signed",
        "history/test_stateproof.py::test_bc_053_each_way_to_lose_the_signature_is_refused",
        "note/test_signed.py::test_bc_053_each_way_to_lose_a_signature_has_its_reason",
        "note/test_sshsig.py::test_bc_053_each_way_to_lose_a_signature_has_its_reason",
        "remote/test_tip.py::test_bc_053_a_tip_that_its_seat_has_not_signed_is_refused",
        "hostile/test_kinds.py::test_who_knows_the_seat_names_it_and_nothing_changes",
        "hostile/test_kinds.py::test_a_newcomer_names_it_and_takes_no_more_than_is_right",
        "trust/test_presence.py::test_whatever_does_not_verify_refuses_all_of_it",
        "remote/test_exchange_hostile.py::test_any_changed_byte_of_an_author_is_noticed_under_a_manifest_that_fits",
        "check/test_git_signatures.py::test_stock_git_refuses_a_changed_commit",
    ],
    "BC-075": [
        "remote/test_rotated_keys.py::test_bc_075_ten_commits_around_a_rotation_are_all_valid",
        "remote/test_rotated_keys.py::test_bc_075_the_old_key_adds_nothing_whatever_the_date",
        "remote/test_rotated_keys.py::test_bc_075_a_child_of_5_is_another_history_for_who_has_seen_10",
        "remote/test_rotated_keys.py::test_the_old_key_is_refused_by_its_own_seat",
    ],
    "BC-076": [
        "cases/test_what_is_written.py::test_bc_076_every_way_to_write_gives_one_locator",
        "cases/test_what_is_written.py::test_bc_076_nul_is_refused_wherever_it_stands",
    ],
    "BC-116": [
        "cases/test_signed_statements.py::test_bc_116_no_seat_has_a_weak_key",
        "cases/test_signed_statements.py::test_bc_116_no_weak_key_is_granted",
        "cases/test_signed_statements.py::test_bc_116_no_statement_of_another_names_a_weak_key",
        "cases/test_signed_statements.py::test_bc_116_a_weak_key_that_a_remote_shows_is_refused",
        "note/test_keys.py::test_bc_116_a_second_encoding_of_s_is_refused",
        "note/test_keys.py::test_bc_116_a_weak_key_cannot_be_made",
        "note/test_keys.py::test_bc_116_a_weak_r_is_refused",
        "note/test_keys.py::test_bc_116_no_key_in_a_second_encoding",
        "note/test_keys.py::test_bc_116_a_signature_with_a_weak_r_that_adds_up_is_refused",
        "note/test_sshsig.py::test_bc_116_a_second_encoding_of_s_is_refused",
        "hostile/test_kinds.py::test_who_knows_the_seat_names_it_and_nothing_changes",
        "remote/test_exchange_hostile.py::test_a_forged_author_stays_and_the_others_move_on",
    ],
    "BC-125": [
        "cases/test_signed_statements.py::test_bc_125_no_decision_is_signed_that_readers_refuse",
        "cases/test_what_is_written.py::test_bc_125_what_readers_refuse_no_way_of_writing_signs",
        "history/test_record.py::test_bc_125_what_nobody_reads_is_not_written",
        "note/test_checkpoint.py::test_bc_125_what_nobody_reads_is_no_checkpoint",
        "note/test_cosignature.py::test_bc_125_a_time_that_nobody_opens_is_not_signed",
        "note/test_cosignature.py::test_bc_125_a_cosignature_that_fails_is_not_released",
        "note/test_signed.py::test_bc_125_what_nobody_opens_is_not_signed",
        "note/test_signed.py::test_bc_125_a_signature_that_fails_is_not_released",
        "note/test_sshsig.py::test_bc_125_what_nobody_opens_is_not_signed",
        "trust/test_statements.py::test_bc_125_what_nobody_opens_is_not_signed",
        "remote/test_exchange_rules.py::test_what_the_keyboard_refuses_is_what_a_pull_holds",
        "trust/test_presence.py::test_what_is_signed_here_is_what_is_opened",
    ],
}  # fmt: skip

# Merkle trees and proofs -------------------------------------------------------

PROOFS = {
    "BC-021": [
        "cases/test_proofs_under_load.py::test_bc_021_every_proof_made_while_another_commits_verifies",
        "cases/test_proofs_under_load.py::test_bc_021_what_is_newer_than_the_head_has_no_proof",
        "history/test_stateproof.py::test_bc_021_no_proof_against_another_tree_than_the_record_binds",
    ],
    "BC-057": [
        "history/test_evidence.py::test_bc_057_a_head_of_size_0_contradicts_nothing",
        "history/test_evidence.py::test_bc_057_one_head_twice_is_no_evidence",
        "merkle/test_proof.py::test_bc_057_degenerate_consistency",
        "merkle/test_proof.py::test_bc_057_known_answers",
        "hostile/test_kinds.py::test_who_knows_the_seat_names_it_and_nothing_changes",
    ],
    "BC-058": [
        "cases/test_proof_documents.py::test_bc_058_no_size_and_no_place_is_another",
        "cases/test_proof_documents.py::test_bc_058_all_pairs_of_index_and_size_of_small_trees",
        "history/test_evidence.py::test_bc_058_a_size_that_the_leaves_have_not_is_refused",
        "history/test_stateproof.py::test_bc_058_the_size_is_the_signed_one",
        "history/test_stateproof.py::test_bc_058_root_and_size_are_those_of_the_record",
        "merkle/test_proof.py::test_bc_058_the_arithmetic_alone_does_not_bind_the_size",
    ],
    "BC-059": [
        "cases/test_proof_documents.py::test_bc_059_every_text_and_hash_is_tied_to_the_rest",
        "cases/test_proof_documents.py::test_bc_059_a_stranger_is_told_from_what_is_invalid",
        "history/test_stateproof.py::test_bc_059_what_the_caller_knows_is_compared",
        "history/test_stateproof.py::test_bc_059_a_made_up_log_is_another_seat",
        "history/test_stateproof.py::test_bc_059_swapped_content_is_refused",
        "another signer than expected ends with exit 6 too; the words tell which",
    ],
    "BC-113": [
        "merkle/test_proof.py::test_bc_113_two_hashes_are_no_leaf",
        "merkle/test_tree.py::test_bc_113_a_doubled_last_leaf_is_another_tree",
        "merkle/test_tree.py::test_bc_113_leaves_and_nodes_are_apart",
    ],
    "BC-119": [
        "cases/test_trust.py::test_bc_119_what_a_key_signed_at_one_seat_is_nothing_at_another",
        "cases/test_trust.py::test_bc_119_a_signature_of_one_kind_is_none_of_another",
        "history/test_cosigned.py::test_bc_119_a_file_under_another_seats_name_is_refused",
        "history/test_cosigned.py::test_bc_119_the_head_or_fork_of_another_seat_is_refused",
        "history/test_evidence.py::test_bc_119_heads_of_two_logs_are_no_evidence",
        "history/test_evidence.py::test_bc_119_another_seats_key_does_not_accuse",
        "history/test_stateproof.py::test_bc_119_the_head_of_another_seat_is_refused",
        "note/test_checkpoint.py::test_bc_119_the_head_of_another_log_is_refused",
        "note/test_cosignature.py::test_bc_119_only_the_head_of_the_named_log_is_cosigned",
        "hostile/test_kinds.py::test_who_knows_the_seat_names_it_and_nothing_changes",
    ],
    "BC-120": [
        "history/test_tlogproof.py::test_bc_120_a_foreign_verifier_takes_ours",
        "history/test_tlogproof.py::test_bc_120_a_foreign_verifier_refuses_changed_ones",
        "cases/test_proof_documents.py::test_bc_120_large_trees_agree_with_the_definition",
        "merkle/test_proof.py::test_bc_120_every_path_up_to_70_is_the_defined_one",
        "merkle/test_proof.py::test_bc_120_every_consistency_up_to_70_is_the_defined_one",
        "merkle/test_proof.py::test_bc_120_a_changed_inclusion_proof_is_refused",
        "merkle/test_proof.py::test_bc_120_a_changed_consistency_proof_is_refused",
        "check/test_go.py::test_go_accepts_what_we_make",
        "check/test_go.py::test_go_accepts_every_head_as_a_prefix",
        "check/test_go.py::test_go_refuses_changed_ones",
        "history/test_standalone.py::test_a_changed_bit_is_refused_by_both",
    ],
    "BC-129": [
        "cases/test_proofs_under_load.py::test_bc_129_a_seat_without_commits_proves_nothing",
        "cases/test_proofs_under_load.py::test_bc_129_the_first_claim_has_an_empty_path",
        "merkle/test_proof.py::test_bc_129_the_first_leaf_needs_an_empty_path",
        "merkle/test_tree.py::test_bc_129_the_empty_and_the_one_leaf_tree",
    ],
    "BC-132": [
        "remote/test_pack.py::test_bc_132_an_altered_pack_gets_no_index",
        "remote/test_reading.py::test_bc_132_any_flipped_bit_in_a_pack_is_noticed",
        "seat/test_rereading.py::test_bc_132_a_bit_that_turned_is_not_signed",
        "seat/test_rereading.py::test_bc_132_a_held_line_is_read_again_too",
        "seat/test_rereading.py::test_bc_132_a_root_that_was_kept_and_turned_is_worked_out_again",
    ],
}  # fmt: skip

# Crash and corruption ----------------------------------------------------------

CRASH = {
    "BC-003": [
        "cases/test_crash.py::test_bc_003_one_store_by_several_ways_at_once",
        "store/test_lock.py::test_bc_003_one_store_has_one_lock_whatever_its_path",
        "store/test_lock.py::test_a_waiter_is_served_when_the_holder_is_killed",
        "remote/test_cut_clones.py::test_while_one_clones_another_is_refused",
        "no owner of a store: this version has no daemon; commands take turns",
    ],
    "BC-007": [
        "cases/test_crash.py::test_bc_007_after_any_kill_the_next_commands_are_in_time",
        "seat/test_kills.py::test_bc_007_killed_at_fifty_moments_nothing_is_lost_or_halved",
        "store/test_lock.py::test_bc_007_a_wait_is_bounded_and_names_the_holder",
        "remote/test_git_kills.py::test_bc_007_a_command_after_a_kill_is_bounded",
        "remote/test_left_locks.py::test_bc_068_what_a_killed_push_of_ours_left_is_removed_and_told",
        "stories/test_killed.py::test_bc_007_bc_070_killed_at_any_moment",
        "stories/test_groups_killed.py::test_bc_070_groups_killed_at_any_moment",
    ],
    "BC-018": [
        "remote/test_remaking.py::test_bc_018_a_torn_store_is_named_and_nothing_is_built_on_it",
        "remote/test_remaking.py::test_bc_018_a_torn_log_of_the_store_opens_at_a_whole_write",
        "remote/test_remaking.py::test_bc_018_what_is_torn_in_git_is_named_and_mended",
        "remote/test_pack.py::test_bc_018_a_kill_between_the_steps_is_mended_by_storing_again",
        "remote/test_pack.py::test_bc_018_a_pack_torn_under_its_index_is_written_again",
        "remote/test_reading.py::test_bc_018_a_pack_that_was_cut_is_missing_not_endless",
        "remote/test_repository.py::test_bc_018_a_torn_ref_is_named_and_can_be_restored",
        "remote/test_exchange_pull.py::test_bc_018_a_remote_with_a_torn_object_holds_up_one_seat",
        "store/test_migrations.py::test_bc_018_a_truncated_store_is_named",
    ],
    "BC-033": [
        "cases/test_crash.py::test_bc_033_sixteen_clients_read_and_write_while_one_reads_on",
        "store/test_lock.py::test_bc_033_eight_processes_lose_nothing_and_nobody_starves",
    ],
    "BC-034": [
        "remote/test_remaking.py::test_bc_034_all_that_is_derived_is_made_again",
        "remote/test_remaking.py::test_commits_that_were_in_no_git_are_told",
        "remote/test_doctor.py::test_what_no_remote_has_is_made_from_the_store",
        "no messages to number: this version has no mail",
    ],
    "BC-052": [
        "cases/test_crash.py::test_bc_052_a_home_on_a_network_disk_and_a_seat_that_comes_to_one",
        "seat/test_founding.py::test_bc_052_no_seat_on_a_network_disk_unless_told",
        "remote/test_remaking.py::test_what_one_place_has_is_enough",
    ],
    "BC-072": [
        "remote/test_recovering.py::test_bc_072_a_restored_backup_goes_on_from_the_remote",
        "remote/test_exchange_push.py::test_bc_072_a_seat_restored_from_a_backup_publishes_no_second_history",
        "seat/test_instance.py::test_bc_072_a_backup_signs_no_number_twice",
        "a sync stops and says koinii recover, which takes the longer history over",
    ],
    "BC-073": [
        "cases/test_crash.py::test_bc_073_each_command_works_or_says_that_there_is_no_room",
        "check/test_full_disk.py::test_bc_073_each_command_on_a_full_disk_works_or_says_so",
        "seat/test_writes.py::test_bc_073_a_full_disk_leaves_the_store_whole",
        "seat/test_writes.py::test_bc_073_a_log_that_cannot_grow_leaves_the_store_whole",
        "seat/test_writes.py::test_bc_073_a_commit_without_room_is_none",
        "seat/test_founding.py::test_bc_073_no_room_for_a_seat_leaves_none",
        "remote/test_pack.py::test_bc_073_a_full_disk_is_named_and_leaves_nothing_behind",
        "remote/test_git_kills.py::test_bc_073_no_room_in_the_own_repository_is_told",
    ],
    "BC-074": [
        "cases/test_crash.py::test_bc_074_what_one_seat_spells_wrong_hides_nothing_of_the_others",
        "history/test_segments.py::test_bc_074_the_lines_before_a_bad_one_are_known",
        "hostile/test_kinds.py::test_who_knows_the_seat_names_it_and_nothing_changes",
        "hostile/test_kinds.py::test_a_newcomer_names_it_and_takes_no_more_than_is_right",
    ],
    "BC-099": [
        "cases/test_crash.py::test_bc_099_every_reading_command_on_a_copy_that_nobody_may_write",
        "seat/test_read_only.py::test_bc_099_a_read_only_copy_gives_the_same_answers",
        "seat/test_read_only.py::test_bc_099_a_seat_in_use_is_read_by_who_may_not_write",
        "remote/test_reading.py::test_bc_099_a_read_only_repository_is_read",
    ],
}  # fmt: skip

# Git between seats --------------------------------------------------------------

TRANSPORT = {
    "BC-001": [
        "remote/test_refusals.py::test_bc_001_what_a_server_refuses_is_unpublished_and_tried_again",
        "remote/test_refusals.py::test_bc_001_one_of_two_refs_refused_is_named_and_the_other_published",
        "remote/test_refusals.py::test_bc_001_the_command_line_says_what_is_unpublished",
        "remote/test_exchange_push.py::test_bc_001_a_hook_that_refuses_is_an_error_with_the_servers_words",
        "remote/test_exchange_push.py::test_bc_001_one_of_two_refs_refused_is_named_and_tried_again",
        "remote/test_exchange_push.py::test_bc_001_a_hidden_namespace_is_refused",
        "remote/test_exchange_push.py::test_bc_001_a_server_that_takes_no_pushes_is_an_error",
        "remote/test_git_faults.py::test_bc_001_over_a_smart_transport_a_refusal_is_an_error",
        "remote/test_repository.py::test_bc_001_a_hook_that_refuses_is_an_error_with_its_words",
        "remote/test_repository.py::test_bc_001_a_hook_that_refuses_later_spares_what_was_taken",
        "remote/test_repository.py::test_bc_001_a_namespace_that_may_not_be_pushed_is_refused",
        "remote/test_transports.py::test_seats_meet_over",
        "check/test_secure_transports.py::test_seats_meet_over",
    ],
    "BC-002": [
        "cases/test_transport.py::test_bc_002_what_a_sync_reports_a_new_seat_finds_and_proves",
        "remote/test_exchange_pull.py::test_bc_002_bc_017_what_sync_reports_a_newcomer_finds",
        "remote/test_exchange_push.py::test_bc_002_a_ref_that_is_taken_and_not_shown_is_an_error",
        "remote/test_repository.py::test_bc_002_a_ref_that_is_taken_but_not_shown_is_an_error",
        "remote/test_repository.py::test_bc_002_a_ref_that_a_hook_moves_on_is_an_error",
        "remote/test_transports.py::test_seats_meet_over",
    ],
    "BC-005": [
        "cases/test_transport.py::test_bc_005_the_users_git_changes_no_object_and_is_left_as_it_was",
        "remote/test_exchange_push.py::test_bc_005_the_users_own_git_settings_change_nothing",
        "remote/test_git_faults.py::test_bc_005_a_git_that_runs_us_is_not_inherited",
        "remote/test_git_faults.py::test_bc_005_the_users_settings_change_nothing",
        "remote/test_git_faults.py::test_bc_005_a_hook_of_the_user_on_every_ref_change_does_not_run_here",
    ],
    "BC-015": [
        "cases/test_transport.py::test_bc_015_a_remote_of_last_week_deletes_nothing",
        "remote/test_exchange_push.py::test_bc_015_what_was_said_offline_stays_and_gets_there",
    ],
    "BC-016": [
        "cases/test_transport.py::test_bc_016_a_retraction_reaches_who_was_away_and_is_not_undone",
        "remote/test_exchange_pull.py::test_bc_016_a_retraction_travels_and_what_is_old_does_not_come_back",
        "not through a daemon: this version has none, and one way alone to publish",
    ],
    "BC-017": [
        "remote/test_refusals.py::test_bc_017_no_ref_is_ever_moved_to_what_does_not_contain_its_past",
        "remote/test_exchange_pull.py::test_bc_002_bc_017_what_sync_reports_a_newcomer_finds",
        "remote/test_repository.py::test_bc_017_bc_020_a_value_that_was_not_expected_is_named",
        "remote/test_repository.py::test_bc_017_a_ref_never_moves_to_what_does_not_contain_it",
    ],
    "BC-029": [
        "check/test_silence.py::test_bc_029_what_never_answers_ends_with_its_name",
        "check/test_silence.py::test_bc_029_ssh_asks_for_a_passphrase_on_a_terminal_and_in_no_window",
        "remote/test_prompts.py::test_bc_029_no_input_asks_nobody_on_a_terminal",
        "remote/test_prompts.py::test_bc_029_without_a_terminal_nobody_is_asked",
        "remote/test_prompts.py::test_bc_029_no_input_opens_no_window",
        "remote/test_prompts.py::test_a_person_at_a_terminal_is_asked",
        "remote/test_git_faults.py::test_bc_029_missing_credentials_end_at_once_with_their_name",
        "remote/test_git_faults.py::test_bc_029_a_server_that_never_answers_times_out",
        "remote/test_git_faults.py::test_bc_029_an_ssh_that_sleeps_is_ended_with_all_it_started",
        "remote/test_git_faults.py::test_bc_029_a_helper_that_lives_on_does_not_hold_us_up",
        "not through a daemon: this version has none to wait in",
    ],
    "BC-030": [
        "remote/test_git_faults.py::test_bc_030_a_remote_of_another_owner_is_told_with_the_fix",
        "remote/test_git_faults.py::test_bc_030_our_own_repository_of_another_owner_works",
        "remote/test_reading.py::test_bc_030_a_repository_of_another_owner_is_read",
    ],
    "BC-031": [
        "cases/test_transport.py::test_bc_031_a_new_seat_sees_all_from_the_address_alone",
        "cases/test_transport.py::test_bc_031_who_only_reads_needs_no_key",
        "cases/test_transport.py::test_bc_031_a_reader_may_begin_to_speak",
        "cases/test_transport.py::test_bc_031_an_agent_brings_its_key_and_is_the_same_one",
        "cases/test_transport.py::test_bc_031_a_seat_that_was_lost_goes_on_by_its_key",
        "cases/test_transport.py::test_bc_031_a_key_of_no_seat_there_leaves_nothing",
    ],
    "BC-066": [
        "remote/test_exchange_pull.py::test_bc_066_a_shallow_remote_is_told_and_nothing_of_it_taken",
        "remote/test_reading.py::test_bc_066_a_missing_object_is_named",
        "remote/test_repository.py::test_bc_066_a_shallow_remote_is_not_taken_for_the_whole",
    ],
    "BC-067": [
        "remote/test_repository.py::test_bc_067_an_own_ref_moves_only_from_the_value_expected",
        "remote/test_refusals.py::test_a_ref_that_moves_meanwhile_is_a_race_that_is_told",
        "stories/test_crowded.py::test_bc_067_many_sync_one_seat_at_once",
        "not with a daemon on: this version has none to race with",
    ],
    "BC-068": [
        "remote/test_locks.py::test_bc_068_a_lock_at_a_remote_is_told_with_its_file_and_age_and_left",
        "remote/test_locks.py::test_bc_068_behind_a_server_the_age_is_for_who_looks_there",
        "remote/test_locks.py::test_bc_068_whatever_a_killed_git_left_here_is_in_nobodys_way",
        "remote/test_git_kills.py::test_bc_068_a_lock_that_goes_by_itself_is_waited_for",
        "remote/test_repository.py::test_bc_068_a_lock_in_a_remote_is_told_and_left",
        "remote/test_repository.py::test_bc_068_bc_007_a_lock_of_a_killed_git_here_is_cleared",
        "remote/test_repository.py::test_bc_068_a_lock_here_is_told_with_its_file",
        "store/test_lock.py::test_bc_007_a_wait_is_bounded_and_names_the_holder",
    ],
    "BC-069": [
        "cases/test_transport.py::test_bc_069_a_misspelt_setting_is_an_error_that_names_the_nearest",
        "nothing is fetched at intervals: this version has no daemon",
    ],
    "BC-070": [
        "remote/test_git_kills.py::test_bc_070_a_push_killed_half_way_is_done_again",
        "stories/test_groups_killed.py::test_bc_070_groups_killed_at_any_moment",
        "remote/test_refusals.py::test_bc_001_what_a_server_refuses_is_unpublished_and_tried_again",
    ],
    "BC-071": [
        "cases/test_transport.py::test_bc_071_what_arrives_before_what_it_cites_waits_and_nothing_spins",
        "remote/test_exchange_waiting.py::test_two_seats_of_one_pull_are_counted_at_its_end",
    ],
    "BC-115": [
        "remote/test_repository.py::test_bc_115_a_ref_never_goes_back_while_refs_are_packed",
    ],
    "BC-124": [
        "history/test_segments.py::test_bc_124_any_name_is_one_part_of_a_path",
        "history/test_segments.py::test_bc_124_a_name_that_cannot_be_published_is_refused",
        "remote/test_git_words.py::test_bc_124_another_name_of_a_ref_is_refused",
        "remote/test_exchange_pull.py::test_bc_124_more_refs_than_seats_are_followed_are_named",
    ],
}  # fmt: skip

# Scale and performance ---------------------------------------------------------

SCALE = {
    "BC-095": [
        "cases/test_scale.py::test_bc_095_a_seat_has_one_ref_however_much_it_says",
        "cases/test_scale.py::test_bc_095_junk_refs_cost_no_run_of_git_and_no_ref_here",
        "remote/test_crowds.py::test_one_pull_tries_so_many_and_the_next_goes_on",
    ],
    "BC-096": [
        "cases/test_scale.py::test_bc_096_nothing_is_rebuilt_after_waves_of_retractions",
        "kb/test_locality.py::test_cost_follows_what_is_touched",
    ],
    "BC-097": [
        "cases/test_scale.py::test_bc_097_no_answer_reads_the_archive",
        "cases/test_scale.py::test_bc_097_an_answer_costs_the_same_whatever_the_history",
    ],
    "BC-131": [
        "cases/test_scale.py::test_bc_131_a_large_value_takes_linear_work",
    ],
}  # fmt: skip

COVERED = {
    **CANONICAL,
    **COMMANDS,
    **UPGRADES,
    **BELIEF,
    **QUERIES,
    **PEERS,
    **KEYS,
    **PROOFS,
    **CRASH,
    **TRANSPORT,
    **SCALE,
}


@pytest.mark.parametrize("case", COVERED)
def test_every_report_has_tests_that_exist_or_a_reason(case: str) -> None:
    found = COVERED[case]
    listed = [found] if isinstance(found, str) else found
    assert listed
    for one in listed:
        assert is_there(one) or (" " in one and len(one.split()) > 3), one


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
