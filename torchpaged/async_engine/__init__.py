"""Engines in threads or processes of their own, for the tasks of event loops."""
