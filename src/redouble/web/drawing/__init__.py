"""What pages show, made from views: scenes, boards, rulebooks, guides and pictures."""
