"""The outer ring: files and data frames come in here and leave as tallies of raw labels."""
