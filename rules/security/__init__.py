"""Rules about secrets, privileges, images and open doors."""
