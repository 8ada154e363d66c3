"""Rules about updates and about taking a deployment down."""
