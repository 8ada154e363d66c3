"""Stand-in for pulumi-language-python, for machines that cannot fetch the vendor's executable."""
