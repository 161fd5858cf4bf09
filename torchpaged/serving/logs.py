"""Logs as JSON, one object per line, for log collectors. They contain no prompts and no answers."""

from __future__ import annotations

import logging
import sys
from datetime import datetime, timezone

from torchpaged.serving.json_text import to_json

# The access log, one line per request, written by Guard; off by default.
ACCESS = logging.getLogger("torchpaged.access")


class JsonFormatter(logging.Formatter):
    """A formatter that writes time, level, logger, message, traceback, and the extra fields of a record."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as JSON."""
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
    """Log to standard error as JSON: this package's messages, requests included, and other packages' warnings."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("torchpaged").setLevel(logging.INFO)
