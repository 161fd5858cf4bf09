"""Logs as JSON, a line each, for who collects them. No prompt and no answer is in them."""

from __future__ import annotations

import logging
import sys
from datetime import datetime, timezone

from torchpaged.serving.json_text import to_json

# A line for each request that was answered: Guard writes them, and nobody sees them unless told.
ACCESS = logging.getLogger("torchpaged.access")


class JsonFormatter(logging.Formatter):
    """time, level, logger and message; a failure's traceback; and the fields that a line brings."""

    def format(self, record: logging.LogRecord) -> str:
        """As of `logging.Formatter`."""
        line = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info is not None:
            line["exception"] = self.formatException(record.exc_info)
        return to_json(line, str).decode()


def log_as_json() -> None:
    """From now on, to standard error: what this package says, requests too, and others' warnings."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("torchpaged").setLevel(logging.INFO)
