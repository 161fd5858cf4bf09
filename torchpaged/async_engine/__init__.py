"""The engine behind an event loop: in a thread or a process of its own."""
