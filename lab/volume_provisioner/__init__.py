"""Stand-in for a CSI driver's external-provisioner: claims get volumes that hold nothing."""
