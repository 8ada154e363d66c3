"""The simulated cloud: a moto server behind checks, with a store for what moto does not have."""
