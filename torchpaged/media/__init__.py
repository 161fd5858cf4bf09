"""Images and sounds in prompts: what is known of one, and how files and URLs of them are read."""
