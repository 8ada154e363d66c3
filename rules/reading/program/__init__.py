"""What only a program tells: order, protection, releases, roles, secrets."""
