"""Servers that are broken in known ways, and certificates for them, made when a test asks."""
