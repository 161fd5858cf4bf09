"""Routes for a trainer, behind the admin key: pauses, sleep, and new weights. Paths and answers are vLLM's."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

from fastapi import Depends, FastAPI, Query
from starlette.responses import Response

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.errors import EngineDeadError, EngineError
from torchpaged.serving.admin import require_admin
from torchpaged.serving.json_text import json_response
from torchpaged.serving.protocol import (
    AbortBody,
    FinishUpdateBody,
    InitTransferBody,
    UpdateWeightsBody,
    WeightVersionBody,
)
from torchpaged.serving.refusals import Refusal

_Route = TypeVar("_Route", bound=Callable[..., Coroutine[Any, Any, Response]])


class Training:
    """Routes of a trainer.

    Args:
        llm: engine.
    """

    def __init__(self, llm: AsyncLLM) -> None:
        self._llm = llm

    def add_to(self, app: FastAPI) -> None:
        """Register the routes, each behind the admin key."""
        for path, method, function in (
            ("/pause", "POST", self.pause),
            ("/resume", "POST", self.resume),
            ("/is_paused", "GET", self.is_paused),
            ("/abort_requests", "POST", self.abort_requests),
            ("/reset_prefix_cache", "POST", self.reset_prefix_cache),
            ("/sleep", "POST", self.sleep),
            ("/wake_up", "POST", self.wake_up),
            ("/is_sleeping", "GET", self.is_sleeping),
            ("/init_weight_transfer_engine", "POST", self.init_weight_transfer_engine),
            ("/shutdown_weight_transfer_engine", "POST", self.shutdown_weight_transfer_engine),
            ("/start_weight_update", "POST", self.start_weight_update),
            ("/update_weights", "POST", self.update_weights),
            ("/finish_weight_update", "POST", self.finish_weight_update),
            ("/update_weight_version", "POST", self.update_weight_version),
            ("/weight_info", "GET", self.weight_info),
            ("/get_world_size", "GET", self.get_world_size),
        ):
            app.add_api_route(
                path,
                _explained(function),
                methods=[method],
                response_model=None,
                response_class=Response,
                dependencies=[Depends(require_admin)],
            )

    async def pause(self, mode: str = "abort", clear_cache: bool = True) -> Response:
        """Hold requests back; answers when those under way have ended, or are kept."""
        await self._llm.pause_generation(mode=mode, clear_cache=clear_cache)
        return json_response({"status": "paused"})

    async def resume(self) -> Response:
        """End a pause."""
        await self._llm.resume_generation()
        return json_response({"status": "resumed"})

    async def is_paused(self) -> Response:
        """Tell if requests are held back."""
        return json_response({"is_paused": await self._llm.is_paused()})

    async def abort_requests(self, body: AbortBody) -> Response:
        """End requests by their ids, or all of them."""
        if body.request_ids:
            count = len(body.request_ids)
            await self._llm.abort(body.request_ids)
        else:
            count = self._llm.get_num_unfinished_requests()
            self._llm.abort_all()
        return json_response({"status": "aborted", "aborted": count})

    async def reset_prefix_cache(self, reset_running_requests: bool = False) -> Response:
        """Forget cached blocks."""
        return json_response({"success": await self._llm.reset_prefix_cache(reset_running_requests)})

    async def sleep(self, level: int = 1, mode: str = "abort") -> Response:
        """Give back memory."""
        await self._llm.sleep(level, mode)
        return json_response({"status": "sleeping", "level": level})

    async def wake_up(self, tags: list[str] | None = Query(None)) -> Response:  # noqa: B008
        """Take memory again."""
        awake = await self._llm.wake_up(tags)
        return json_response({"status": "awake" if awake else "sleeping", "tags": tags})

    async def is_sleeping(self) -> Response:
        """Tell if memory was given back."""
        return json_response({"is_sleeping": await self._llm.is_sleeping()})

    async def init_weight_transfer_engine(self, body: InitTransferBody) -> Response:
        """Join a trainer's group."""
        await self._llm.init_weight_transfer_engine({"init_info": body.init_info})
        return json_response({"message": "Weight transfer initialized"})

    async def shutdown_weight_transfer_engine(self) -> Response:
        """Leave a trainer's group."""
        await self._llm.shutdown_weight_transfer_engine()
        return json_response({"message": "Weight transfer shut down"})

    async def start_weight_update(self) -> Response:
        """Begin an update in several parts."""
        await self._llm.start_weight_update()
        return json_response({"message": "Weight update started"})

    async def update_weights(self, body: UpdateWeightsBody) -> Response:
        """Take new weights, or a part of them: from a group, from shared memory, or from a folder of this machine."""
        body.require_possible()
        weights: Any = body.path if body.update_info is None else {"update_info": body.update_info}
        count = await self._llm.update_weights(
            weights,
            version=body.version,
            reset_running_requests=bool(body.reset_running_requests),
            allow_non_finite=bool(body.allow_non_finite),
        )
        return json_response({"message": "Weights updated", "num_tensors": count})

    async def finish_weight_update(self, body: FinishUpdateBody | None = None) -> Response:
        """End an update in several parts."""
        given = body or FinishUpdateBody()
        count = await self._llm.finish_weight_update(
            given.weight_version, reset_running_requests=bool(given.reset_running_requests)
        )
        return json_response({"message": "Weight update finished", "num_tensors": count})

    async def update_weight_version(self, body: WeightVersionBody) -> Response:
        """Name the weights, whose numbers stay."""
        await self._llm.update_weight_version(body.new_version)
        return json_response({"success": True, "new_version": body.new_version})

    async def weight_info(self) -> Response:
        """Tell the name of the weights."""
        return json_response({"weight_version": await self._llm.get_weight_version()})

    async def get_world_size(self) -> Response:
        """Tell the number of processes that receive weights: one."""
        return json_response({"world_size": 1})


def _explained(route: _Route) -> _Route:
    """Wrap a route so that an error of the engine's state, as of one that is asleep, is told."""

    @functools.wraps(route)
    async def explained(*args: Any, **kwargs: Any) -> Response:
        try:
            return await route(*args, **kwargs)
        except EngineDeadError:
            raise
        except EngineError as error:
            raise Refusal(str(error), status=409, code="conflict") from error

    return cast(_Route, explained)
