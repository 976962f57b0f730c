"""Games for assistants, by the Model Context Protocol."""
