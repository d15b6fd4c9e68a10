"""The options of each command; what it does is imported when it runs, so that help is quick."""
