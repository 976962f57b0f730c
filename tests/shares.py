"""Long tests with many cases, of which only a share runs without ``--all``."""

ONE_IN = {
    "analysis/test_review.py::test_a_review_comes_back_from_plain_json_as_it_was": 3,
    "analysis/test_review.py::test_the_parts_add_up": 3,
    "analysis/test_solve.py::test_late_positions_agree_with_brute_force": 4,
    "analysis/test_solve.py::test_without_a_redeal_the_line_is_a_shortest_one": 3,
    "bots/test_bots.py::test_a_bot_plays_legal_moves_and_leaves_the_match_alone": 4,
    "bots/test_corpus.py::test_small_positions_are_solved_right": 4,
    "bots/test_inputs.py::test_long_work_can_be_interrupted": 3,
    "bots/test_search.py::test_worlds_that_cannot_be_told_apart_give_the_same_move": 3,
    "games/test_double_dominoes.py::test_dm4_dm6_dm7_determinizations_are_complete_and"
    "_as_likely": 3,
    "games/test_double_dominoes.py::test_dm5_dm6_dm10_legal_moves_match_the_rulings": 3,
    "games/test_three_up.py::test_determinize_is_uniform_in_games_with_few_kinds": 6,
    "lab/studies/test_study.py::test_the_figures_match_those_of_single_matches": 3,
    "match/test_match.py::test_what_was_learned_stays_learned": 5,
    "terminal/test_draw.py::test_table_and_prompt_fit_80_by_24": 5,
    "terminal/test_play_live.py::test_a_whole_game_at_a_real_terminal": 3,
    "test_shell_examples.py::test_commands_print_what_the_page_shows": 6,
    "web/api/test_api.py::test_a_seat_learns_what_it_may_know_and_nothing_else": 3,
    "web/api/test_schema.py::test_answers_conform_to_the_openapi_document": 4,
    "web/drawing/test_drawing.py::test_a_kept_drawing_equals_a_fresh_one": 3,
    "web/drawing/test_drawn_texts.py::test_a_page_does_not_depend_on_what_things_are_called": 8,
    "web/drawing/test_drawn_texts.py::test_a_terminal_does_not_depend_on_what_things_are_called": 8,
    "web/pages/test_solitaire.py::test_every_move_has_one_button_that_only_the_player_gets": 4,
    "web/features/study/test_review.py::test_a_game_is_reviewed_and_its_replay_marks_mistakes": 3,
    "web/table/test_table.py::test_a_table_equals_its_log_and_refused_commands_change_nothing": 4,
    "web/test_secrecy.py::test_no_byte_differs_between_worlds_that_a_seat_cannot_tell_apart": 2,
}
"""By test: of so many cases the usual run takes one; ``--all`` takes all."""
