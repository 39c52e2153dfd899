"""Attacks on what the library promises: inputs nobody would send, broken code, broken machines."""
