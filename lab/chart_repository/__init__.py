"""The lab's charts as the repositories that they come from: for plugins that fetch charts by the network."""
