"""The tests in a browser that every run makes: each page, script and way to play once."""

SMOKE = frozenset(
    """
    test_accessibility.py::test_axe_finds_no_violation_on_a_players_page[double-decker begun]
    test_accessibility.py::test_axe_finds_no_violation_on_a_players_page[my page]
    test_accessibility.py::test_axe_finds_no_violation_on_a_strangers_page[home]
    test_accessibility.py::test_axe_finds_no_violation_on_a_strangers_page[new three-up]
    test_by_ear.py::test_a_whole_game_by_ear[double-or-quits]
    test_clocks.py::test_a_clock_counts_stands_in_a_pause_and_leads_to_the_next_turn
    test_connection.py::test_a_click_shows_at_once_that_it_was_taken
    test_connection.py::test_a_killed_and_restarted_server_has_lost_nothing
    test_puzzles.py::test_a_daily_deal_is_started_given_up_and_compared
    test_whole_games.py::test_the_end_is_clean_on_every_screen_and_shows_the_table_again
    test_speed.py::test_forced_moves_are_played_alone_until_they_are_switched_off
    test_review.py::test_a_better_hint_replaces_a_guess
    test_frame.py::test_a_table_fits_every_screen[double-decker-7]
    test_frame.py::test_a_table_fits_every_screen[double-dominoes-4]
    test_frame.py::test_a_table_fits_every_screen[double-down-4]
    test_frame.py::test_a_table_fits_every_screen[double-or-quits-1]
    test_frame.py::test_a_table_fits_every_screen[three-up-4]
    test_frame.py::test_nothing_jumps_from_board_to_board[double-down]
    test_home.py::test_everything_is_on_the_first_screen
    test_keyboard.py::test_moves_are_made_with_tab_and_the_focus_survives_them[double-down]
    test_keyboard.py::test_moves_are_made_with_tab_and_the_focus_survives_them[three-up]
    test_layout.py::test_a_report_fits_a_phone
    test_layout.py::test_a_card_does_not_flee_from_the_pointer_and_the_bar_of_a_phone_is_one_line
    test_layout.py::test_a_puzzles_verdict_leaves_the_position_visible
    test_motion.py::test_a_lost_chip_is_shown_until_a_tap_and_told_to_a_page_out_of_sight
    test_motion.py::test_cards_fly_from_where_they_lay_and_words_come_when_they_lie[double-decker]
    test_motion.py::test_cards_fly_from_where_they_lay_and_words_come_when_they_lie[double-dominoes]
    test_home.py::test_changed_rules_are_shown_and_the_form_is_clean
    test_puzzles.py::test_a_move_is_chosen_and_judged[double-down-phone]
    test_puzzles.py::test_a_move_is_chosen_and_judged[three-up-no script]
    test_replays.py::test_fast_steps_end_at_the_right_ply_and_a_deleted_replay_says_so
    test_replays.py::test_it_plays_automatically_and_stops_at_the_end
    test_replays.py::test_the_replay_fits_a_phone_and_goes_from_ply_to_ply[double-dominoes]
    test_review.py::test_a_review_shows_the_graph_and_leads_to_the_moment
    test_strangers.py::test_a_strangers_game_is_offered_and_played_to_the_end[uphill]
    test_speed.py::test_a_finish_never_races_with_forced_moves
    test_together.py::test_a_move_is_undone_when_the_other_player_agrees
    test_together.py::test_on_one_device_a_curtain_falls_between_players[three-up]
    test_together.py::test_two_people_play_through_the_invitation_to_the_end[double-down]
    test_together.py::test_two_people_talk_and_go_on_with_a_rematch
    test_notices.py::test_a_player_who_asks_for_it_is_notified
    test_undo.py::test_an_undo_that_costs_asks_in_the_place_of_the_prompt
    test_whole_games.py::test_a_card_can_be_dragged_to_the_table
    test_whole_games.py::test_a_game_without_scripts[three-up]
    test_whole_games.py::test_a_whole_game_by_tapping[double-decker]
    test_whole_games.py::test_a_whole_game_by_tapping[double-dominoes]
    test_whole_games.py::test_a_whole_game_by_tapping[double-or-quits]
    """.replace("    ", "")
    .strip()
    .splitlines()
)
