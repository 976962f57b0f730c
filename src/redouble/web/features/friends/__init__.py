"""Friends: who they are, who is online, invitations."""
