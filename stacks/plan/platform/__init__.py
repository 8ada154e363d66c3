"""The Dynamo platform as plain data: its chart, and NATS and etcd with their addresses and command lines."""
