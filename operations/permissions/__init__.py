"""Says what AWS has to allow those who deploy a stack and those who preview it; asks nobody."""
