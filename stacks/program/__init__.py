"""The Pulumi program: a resolved stack -> components, in the order in which they make each other work."""
