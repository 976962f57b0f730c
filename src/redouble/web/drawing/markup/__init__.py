"""What changes during play, as markup made by functions: boards, prompts, results, replays."""
