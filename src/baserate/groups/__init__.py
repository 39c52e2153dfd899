"""Small groups: is a group's score luck, what is a steadier estimate, and where is it undefined."""
