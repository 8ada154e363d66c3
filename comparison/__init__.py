"""What a pull request changes: two recordings of a stack, one of either side, and what lies between them."""
