"""The operator's work: backups, administration, migration, health."""
