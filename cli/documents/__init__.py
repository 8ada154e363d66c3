"""JSON that commands print for programs: what each document holds, its version and its schema."""
