"""How games are drawn as pages: markup, the scene to draw, and the pieces it is drawn with."""
