"""What people and operators do with stored data: export, deletion, backups and migrations."""
