"""Messages for a person whose `up` or `destroy` ended while it waited for something in the cluster."""
