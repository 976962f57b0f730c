"""Tables that are played: in memory, in the database, and in step with other servers."""
