"""Another release of the Dynamo platform in a stack's file, and what the next `up` then does."""
