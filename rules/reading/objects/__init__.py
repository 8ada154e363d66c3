"""What an API server takes of an object: schemas, which of them holds, and what an object has beside it."""
