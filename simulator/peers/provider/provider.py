#!/usr/bin/env python3
"""A fake LLM provider that enforces rate limits and advertises them, rightly or wrongly.

It is written from the public documentation of providers and shares no code with the client
that is tested against it. Enforcement and advertisement are separate: whatever the headers
say, the limits of the command line decide who is admitted. Only the standard library is used.

The arithmetic of limits is in limits.py, the rendering of headers in headers.py. Here are the
settings, the counters, the bodies of both APIs, and a small HTTP/1.1 server on asyncio.
"""

import argparse
import asyncio
import dataclasses
import json
import math
import random
import resource
import signal
import sys
import time
from dataclasses import dataclass

from headers import STYLES, Advertiser, go_duration, http_date
from limits import Decision, Gate, Snapshot

MAX_HEAD = 64 * 1024
MAX_BODY = 4 * 1024 * 1024


# ---------------------------------------------------------------------------- settings


@dataclass(frozen=True)
class Settings:
    """How the provider behaves. Each field is an option of the command line."""

    rate: float = 0.0                       # requests per second that the bucket regains; 0: no bucket
    capacity: int = 1                       # of the bucket
    window: tuple[float, int] | None = None  # seconds, requests; aligned to the wall clock
    concurrency: int = 0                    # requests in flight; 0: no cap
    stray: float = 0.0                      # probability of a refusal without a reason
    change: tuple[tuple[float, float, float], ...] = ()  # from, to, factor; seconds since the first request
    day_quota: int = 0                      # requests per day; 0: none
    hang: float = 0.0                       # probability that an admitted request is never answered
    hang_seconds: float = 600.0
    latency: float = 1.0                    # median, in seconds
    jitter: float = 0.0                     # sigma of the log-normal distribution around it
    refusal_latency: float = 0.02
    stream_head: float = 1.0                # share of the latency after which a stream sends its headers
    advertise: str = "none"
    stale_for: float = 5.0                  # how long the style "stale" repeats itself
    seed: int = 1

    def arguments(self) -> list[str]:
        """The options that make the provider behave like this."""
        words = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value == field.default:
                continue
            option = "--" + field.name.replace("_", "-")
            if field.name == "window":
                words += [option, f"{value[0]}:{value[1]}"]
            elif field.name == "change":
                for start, end, factor in value:
                    words += [option, f"{start}-{end}:{factor}"]
            else:
                words += [option, str(value)]
        return words


def parse_window(text: str) -> tuple[float, int]:
    length, count = text.split(":")
    if float(length) <= 0 or int(count) <= 0:
        raise ValueError(text)
    return float(length), int(count)


def parse_change(text: str) -> tuple[float, float, float]:
    span, factor = text.split(":")
    start, end = span.split("-")
    if not 0 <= float(start) < float(end) or float(factor) <= 0:
        raise ValueError(text)
    return float(start), float(end), float(factor)


# ---------------------------------------------------------------------------- counting


class Stats:
    """What the provider saw. Times are in seconds since the epoch."""

    def __init__(self):
        self.attempts = self.accepted = self.answers = self.hung = self.abandoned = self.bad = 0
        self.refusals = {}
        self.in_flight = self.peak_in_flight = self.connections = self.peak_connections = 0
        self.first_arrival = self.last_answer = None
        self.answered = set()

    def arrived(self, now: float) -> None:
        self.attempts += 1
        if self.first_arrival is None:
            self.first_arrival = now

    def admitted(self) -> None:
        self.accepted += 1
        self.in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self.in_flight)

    def refused(self, reason: str) -> None:
        self.refusals[reason] = self.refusals.get(reason, 0) + 1

    def answer(self, now: float, prompt: str) -> None:
        self.in_flight -= 1
        self.answers += 1
        self.last_answer = now
        self.answered.add(prompt)

    def abandon(self) -> None:
        self.in_flight -= 1
        self.abandoned += 1

    def report(self) -> dict:
        ended = self.last_answer is not None
        return {
            "attempts": self.attempts, "accepted": self.accepted, "answers": self.answers,
            "refusals": sum(self.refusals.values()), "refused_at_random": self.refusals.get("stray", 0),
            "refusals_by_limit": dict(sorted(self.refusals.items())),
            "hung": self.hung, "abandoned": self.abandoned, "bad_requests": self.bad,
            "in_flight": self.in_flight, "peak_in_flight": self.peak_in_flight,
            "connections": self.connections, "peak_connections": self.peak_connections,
            "first_arrival": self.first_arrival, "last_answer": self.last_answer,
            "makespan": round(self.last_answer - self.first_arrival, 3) if ended else None,
            "distinct_answered": len(self.answered), "duplicates": self.answers - len(self.answered),
        }


# ---------------------------------------------------------------------------- answers


def prompt_of(body: dict) -> str:
    """The text of the last message of the user."""
    for message in reversed(body["messages"]):
        if message.get("role") == "user":
            content = message["content"]
            if isinstance(content, str):
                return content
            return "".join(part.get("text", "") for part in content)
    raise ValueError("there is no message of a user")


def openai_answer(body: dict, text: str, number: int) -> dict:
    return {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": int(time.time()),
            "model": body.get("model", "m"),
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text},
                         "logprobs": None, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 12, "completion_tokens": 8, "total_tokens": 20}}


def openai_stream(body: dict, text: str, number: int):
    base = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": int(time.time()),
            "model": body.get("model", "m")}
    deltas = [({"role": "assistant", "content": ""}, None), ({"content": text}, None), ({}, "stop")]
    for delta, finish in deltas:
        yield "data: " + json.dumps(base | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    if (body.get("stream_options") or {}).get("include_usage"):
        usage = {"prompt_tokens": 12, "completion_tokens": 8, "total_tokens": 20}
        yield "data: " + json.dumps(base | {"choices": [], "usage": usage})
    yield "data: [DONE]"


def anthropic_answer(body: dict, text: str, number: int) -> dict:
    return {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body.get("model", "m"),
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 12, "output_tokens": 8}}


def anthropic_stream(body: dict, text: str, number: int):
    message = anthropic_answer(body, text, number) | {"content": [], "stop_reason": None}
    events = [
        {"type": "message_start", "message": message | {"usage": {"input_tokens": 12, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
         "usage": {"output_tokens": 8}},
        {"type": "message_stop"},
    ]
    for event in events:
        yield f"event: {event['type']}\ndata: {json.dumps(event)}"


def refusal_body(api: str, kind: str, message: str, number: int) -> dict:
    if api == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": f"req_{number}"}
    code = "rate_limit_exceeded" if kind == "rate_limit_error" else None
    return {"error": {"message": message, "type": "requests" if code else kind, "param": None, "code": code}}


def refusal_message(api: str, style: str, snapshot: Snapshot, decision: Decision) -> str:
    """OpenAI's text names the limit. It does so here only where the headers do, too."""
    if decision.reason == "concurrency":
        return "Too many concurrent requests. Please try again later."
    if api == "openai" and style in ("openai", "openai-rate") and decision.reason == "bucket":
        limit = snapshot.per_minute
        return (f"Rate limit reached for m in organization org-peer on requests per min (RPM): Limit {limit}, "
                f"Used {limit}, Requested 1. Please try again in {go_duration(decision.retry_in)}.")
    return "This request would exceed your account's rate limit. Please try again later."


# ---------------------------------------------------------------------------- HTTP


@dataclass
class Request:
    method: str
    path: str
    headers: dict
    body: bytes


class BadRequest(Exception):
    pass


class Connection(asyncio.Protocol):
    """One client connection: requests one after another, kept alive."""

    REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
               429: "Too Many Requests"}

    def __init__(self, provider: "Provider"):
        self.provider = provider
        self.buffer = bytearray()
        self.busy = False
        self.close_after = False
        self.continued = False
        self.on_lost = None   # what to do when the client goes away before it is answered

    def connection_made(self, transport):
        self.transport = transport
        self.provider.connected(self)

    def connection_lost(self, error):
        self.provider.disconnected(self)
        if self.on_lost:
            self.on_lost()
            self.on_lost = None

    def data_received(self, data):
        self.buffer += data
        self._serve()

    def _serve(self):
        while not self.busy and not self.transport.is_closing():
            try:
                request = self._parse()
            except (BadRequest, ValueError):
                self.close_after = self.busy = True
                self.send(400, [], {"error": {"message": "This is not a request.", "type": "invalid_request_error"}})
                return
            if request is None:
                return
            self.busy, self.continued = True, False
            self.close_after = request.headers.get("connection", "").lower() == "close"
            self.provider.handle(self, request)

    def _parse(self) -> Request | None:
        """The next request, if it is here as a whole."""
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self.buffer) > MAX_HEAD:
                raise BadRequest
            return None
        first, *lines = bytes(self.buffer[:end]).decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        if "chunked" in headers.get("transfer-encoding", "").lower():
            body, stop = self._chunks(end + 4)
        else:
            length = int(headers.get("content-length", 0))
            if not 0 <= length <= MAX_BODY:
                raise BadRequest
            stop = end + 4 + length
            body = bytes(self.buffer[end + 4:stop]) if len(self.buffer) >= stop else None
        if body is None:
            if headers.get("expect", "").lower() == "100-continue" and not self.continued:
                self.continued = True
                self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            return None
        del self.buffer[:stop]
        return Request(method, path.partition("?")[0], headers, body)

    def _chunks(self, at: int) -> tuple[bytes | None, int]:
        """A chunked body without trailers that begins at an offset, and where it ends."""
        body = bytearray()
        while True:
            line = self.buffer.find(b"\r\n", at)
            if line < 0:
                return None, at
            size = int(bytes(self.buffer[at:line]).partition(b";")[0], 16)
            if not 0 <= size <= MAX_BODY - len(body):
                raise BadRequest
            at = line + 2
            if len(self.buffer) < at + size + 2:
                return None, at
            body += self.buffer[at:at + size]
            at += size + 2
            if size == 0:
                return bytes(body), at

    def send(self, status: int, headers: list, body: dict) -> None:
        payload = json.dumps(body).encode()
        framing = [("content-type", "application/json"), ("content-length", str(len(payload)))]
        self.transport.write(self._head(status, framing + headers) + payload)
        self.done()

    def begin_stream(self, headers: list) -> None:
        framing = [("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"),
                   ("transfer-encoding", "chunked")]
        self.transport.write(self._head(200, framing + headers))

    def end_stream(self, events) -> None:
        for event in events:
            data = (event + "\n\n").encode()
            self.transport.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.transport.write(b"0\r\n\r\n")
        self.done()

    def _head(self, status: int, headers: list) -> bytes:
        always = [("date", http_date(self.provider.clock())),
                  ("connection", "close" if self.close_after else "keep-alive")]
        lines = [f"HTTP/1.1 {status} {self.REASONS[status]}"] + [f"{n}: {v}" for n, v in always + headers]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def done(self) -> None:
        """The response is written: close, or go on with the next request."""
        self.on_lost = None
        self.busy = False
        if self.close_after:
            self.transport.close()
        else:
            asyncio.get_running_loop().call_soon(self._serve)


class Provider:
    """Routes requests, asks the gate, and answers after a while."""

    APIS = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}

    def __init__(self, settings: Settings, clock):
        self.settings = settings
        self.clock = clock
        self.chance = random.Random(settings.seed)
        self.gate = Gate(settings, self.chance)
        self.advertiser = Advertiser(settings.advertise, self.chance, settings.stale_for)
        self.stats = Stats()
        self.open = set()
        self.number = 0

    def connected(self, connection: Connection) -> None:
        self.open.add(connection)
        self.stats.connections = len(self.open)
        self.stats.peak_connections = max(self.stats.peak_connections, len(self.open))

    def disconnected(self, connection: Connection) -> None:
        self.open.discard(connection)
        self.stats.connections = len(self.open)

    def handle(self, connection: Connection, request: Request) -> None:
        api = self.APIS.get(request.path)
        if request.path == "/stats" and request.method == "GET":
            connection.send(200, [], self.stats.report())
        elif api is None:
            connection.send(404, [], {"error": {"message": "There is no such page.", "type": "not_found_error"}})
        elif request.method != "POST":
            connection.send(405, [("allow", "POST")], {"error": {"message": "Use POST."}})
        else:
            self._complete(connection, request, api)

    def _complete(self, connection: Connection, request: Request, api: str) -> None:
        now = self.clock()
        self.stats.arrived(now)
        self.number += 1
        try:
            body = json.loads(request.body)
            prompt = prompt_of(body)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self.stats.bad += 1
            connection.send(400, [], refusal_body(api, "invalid_request_error", str(error), self.number))
            return
        decision = self.gate.admit(now, self.stats.in_flight)
        snapshot = self.gate.snapshot(now)
        name = "request-id" if api == "anthropic" else "x-request-id"
        headers = [(name, f"req_{self.number}")] + self.advertiser.headers(snapshot, decision)
        if not decision.admitted:
            self.stats.refused(decision.reason)
            message = refusal_message(api, self.settings.advertise, snapshot, decision)
            refusal = refusal_body(api, "rate_limit_error", message, self.number)
            self._later(connection, self.settings.refusal_latency, lambda: connection.send(429, headers, refusal))
        elif self.chance.random() < self.settings.hang:
            self.stats.admitted()
            self.stats.hung += 1
            # Closing the connection makes the request count as abandoned.
            self._later(connection, self.settings.hang_seconds, connection.transport.close, self.stats.abandon)
        else:
            self.stats.admitted()
            self._answer(connection, api, body, prompt, headers)

    def _answer(self, connection, api, body, prompt, headers) -> None:
        """The headers are those of the admission; the answer comes when the model is done."""
        number, text = self.number, f"Answer to: {prompt}"
        latency = self.settings.latency * math.exp(self.settings.jitter * self.chance.gauss(0, 1))
        stats = self.stats

        def whole():
            stats.answer(self.clock(), prompt)
            make = anthropic_answer if api == "anthropic" else openai_answer
            connection.send(200, headers, make(body, text, number))

        def head():
            connection.begin_stream(headers)
            self._later(connection, latency * (1 - self.settings.stream_head), events, stats.abandon)

        def events():
            stats.answer(self.clock(), prompt)
            make = anthropic_stream if api == "anthropic" else openai_stream
            connection.end_stream(make(body, text, number))

        if body.get("stream"):
            self._later(connection, latency * self.settings.stream_head, head, stats.abandon)
        else:
            self._later(connection, latency, whole, stats.abandon)

    @staticmethod
    def _later(connection: Connection, seconds: float, action, lost=lambda: None) -> None:
        """Acts after a while, or is lost if the connection ends before."""
        timer = asyncio.get_running_loop().call_later(seconds, action)

        def on_lost():
            timer.cancel()
            lost()

        connection.on_lost = on_lost


def steady_clock():
    """Seconds since the epoch that never jump: the wall clock at the start, and monotonic from there."""
    offset = time.time() - time.monotonic()
    return lambda: time.monotonic() + offset


async def serve(settings: Settings, port: int) -> None:
    provider = Provider(settings, steady_clock())
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for sig in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sig, stop.set)
    server = await loop.create_server(lambda: Connection(provider), "127.0.0.1", port, backlog=4096)
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    await stop.wait()
    server.close()


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description="Serve a fake LLM provider on 127.0.0.1. Print the port as JSON, then run until stopped.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    defaults = Settings()

    def option(group, name, help_text, kind=float, **more):
        default = more.pop("default", getattr(defaults, name.replace("-", "_"), None))
        group.add_argument("--" + name, type=kind, default=default, help=help_text, **more)

    option(p, "port", "Listen here; 0 takes a free port.", int, default=0)
    option(p, "seed", "Draw lots from this seed.", int)

    e = p.add_argument_group("enforcement")
    option(e, "rate", "Refill the bucket with so many requests per second; 0: no bucket.")
    option(e, "capacity", "Let the bucket hold so many requests.", int)
    option(e, "window", "Admit so many per window, aligned to the wall clock.", parse_window, metavar="SECONDS:COUNT")
    option(e, "concurrency", "Refuse what goes beyond so many requests in flight; 0: no cap.", int)
    option(e, "stray", "Refuse with this probability, for no reason.")
    option(e, "change", "Multiply bucket and window by a factor for a while, in seconds since the first request; "
           "may be repeated.", parse_change, action="append", default=[], metavar="FROM-TO:FACTOR")
    option(e, "day-quota", "Admit so many per day, refilled continuously; 0: no quota.", int)

    m = p.add_argument_group("answers")
    option(m, "latency", "Answer after so many seconds (median).")
    option(m, "jitter", "Spread latencies log-normally, with this sigma.")
    option(m, "refusal-latency", "Refuse after so many seconds.")
    option(m, "hang", "Leave admitted requests without an answer, with this probability.")
    option(m, "hang-seconds", "Close the connection of such a request after so many seconds.")
    option(m, "stream-head", "Send the headers of a stream after this share of the latency; 1: with the answer.")

    a = p.add_argument_group("advertisement")
    option(a, "advertise", "Tell limits in this style.", str, choices=STYLES)
    option(a, "stale-for", "Repeat values for so many seconds (style stale).")
    return p


def main() -> None:
    options = vars(parser().parse_args())
    port = options.pop("port")
    settings = Settings(**options | {"change": tuple(options["change"])})
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else 65536, hard))
    asyncio.run(serve(settings, port))


if __name__ == "__main__":
    sys.exit(main())
