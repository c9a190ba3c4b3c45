"""Tests of the fake provider. Times are arguments; only the tests of the server wait, for milliseconds."""

import asyncio
import json
import random
import unittest

from headers import STYLES, Advertiser, go_duration, http_date, rfc3339, whole_seconds
from limits import CalendarWindow, Decision, Gate, Schedule, Snapshot, TokenBucket
from provider import Connection, Provider, Settings, parser, prompt_of, steady_clock
from rows import ROWS, last_admission

ADMITTED = Decision(True)
REFUSED = Decision(False, "bucket", 2.3)
NOON = 1_700_000_000.0  # 2023-11-14T22:13:20Z


def greedy(settings: Settings, requests: int, start: float = NOON) -> float:
    """When the last request is admitted by a client that knows each moment at which the gate opens."""
    gate, now = Gate(settings, random.Random(1)), start
    for _ in range(requests):
        while not (decision := gate.admit(now, 0)).admitted:
            now += max(1e-6, min(decision.retry_in, 0.001))
    return now - start


class TokenBucketTest(unittest.TestCase):
    def test_is_full_at_first_and_refills_up_to_its_capacity(self):
        bucket = TokenBucket(rate=2, capacity=3)
        for _ in range(3):
            self.assertEqual(0, bucket.wait(NOON))
            bucket.take(NOON)
        self.assertAlmostEqual(0.5, bucket.wait(NOON), 6)
        self.assertEqual(0, bucket.remaining(NOON + 0.4))
        self.assertEqual(1, bucket.remaining(NOON + 0.5))
        self.assertAlmostEqual(1.0, bucket.reset_in(NOON + 0.5), 6)
        self.assertEqual(3, bucket.remaining(NOON + 100))
        self.assertEqual(0, bucket.reset_in(NOON + 100))

    def test_does_not_refill_when_time_stands_still_or_goes_back(self):
        bucket = TokenBucket(rate=1, capacity=1)
        bucket.take(NOON)
        self.assertAlmostEqual(1.0, bucket.wait(NOON - 5), 6)
        self.assertAlmostEqual(1.0, bucket.wait(NOON), 6)

    def test_follows_its_schedule(self):
        bucket = TokenBucket(rate=10, capacity=10, schedule=Schedule([(20, 40, 0.5)]))
        bucket.take(NOON)
        self.assertEqual((10, 600), (bucket.limit(NOON + 19), bucket.per_minute(NOON + 19)))
        self.assertEqual((5, 300), (bucket.limit(NOON + 20), bucket.per_minute(NOON + 20)))
        self.assertEqual(5, bucket.remaining(NOON + 30))
        self.assertEqual(10, bucket.remaining(NOON + 41))

    def test_adds_up_what_it_gains_before_and_after_a_change(self):
        bucket = TokenBucket(rate=10, capacity=100, schedule=Schedule([(1, 2, 0.5)]))
        for _ in range(100):
            bucket.take(NOON)
        self.assertEqual(10 + 5 + 10, bucket.remaining(NOON + 3))


class CalendarWindowTest(unittest.TestCase):
    def test_windows_begin_at_multiples_of_their_length(self):
        window = CalendarWindow(10, 2)
        start = NOON + 7  # NOON is a multiple of 10
        window.take(start)
        window.take(start)
        self.assertAlmostEqual(3, window.wait(start), 6)
        self.assertAlmostEqual(0.5, window.wait(start + 2.5), 6)
        self.assertEqual(0, window.wait(start + 3))
        self.assertEqual(2, window.remaining(start + 3))
        self.assertEqual(12, window.per_minute(start))


class GateTest(unittest.TestCase):
    def test_what_is_refused_consumes_nothing(self):
        gate = Gate(Settings(rate=1, capacity=1, window=(10, 5), day_quota=100), random.Random(1))
        self.assertTrue(gate.admit(NOON, 0).admitted)
        for _ in range(20):
            decision = gate.admit(NOON, 0)
            self.assertEqual((False, "bucket"), (decision.admitted, decision.reason))
        self.assertEqual(4, gate.limits["window"].remaining(NOON))
        self.assertEqual(99, gate.limits["day"].remaining(NOON))
        self.assertTrue(gate.admit(NOON + 1, 0).admitted)

    def test_concurrency_and_stray_refusals(self):
        gate = Gate(Settings(concurrency=2), random.Random(1))
        self.assertTrue(gate.admit(NOON, 1).admitted)
        self.assertEqual("concurrency", gate.admit(NOON, 2).reason)
        stray = Gate(Settings(rate=1, capacity=1000, stray=0.25), random.Random(1))
        refused = sum(not stray.admit(NOON, 0).admitted for _ in range(1000))
        self.assertTrue(200 < refused < 300, refused)
        self.assertEqual(refused, stray.limits["bucket"].remaining(NOON))

    def test_a_gate_without_limits_has_nothing_to_tell(self):
        self.assertEqual(Snapshot(NOON), Gate(Settings(), random.Random(1)).snapshot(NOON))


class FormatTest(unittest.TestCase):
    def test_go_durations(self):
        for seconds, text in [(0, "0s"), (0.017, "17ms"), (0.0001, "1ms"), (1, "1s"), (8.64, "8.64s"), (360, "6m0s"),
                              (86.4, "1m26.4s"), (3600.5, "1h0m0.5s"), (0.9999, "1s"), (179.56, "2m59.56s")]:
            self.assertEqual(text, go_duration(seconds), seconds)

    def test_dates_and_seconds(self):
        self.assertEqual("2023-11-14T22:13:20Z", rfc3339(NOON + 0.999))
        self.assertEqual("Tue, 14 Nov 2023 22:13:20 GMT", http_date(NOON))
        self.assertEqual(["1", "1", "2", "3"], [whole_seconds(s) for s in (0, 0.05, 2.0, 2.001)])


class AdvertiserTest(unittest.TestCase):
    SNAPSHOT = Snapshot(NOON, 30, 1200, 17, 0.65, 50000, 49990, 17.28)

    def tell(self, style, decision=ADMITTED, snapshot=SNAPSHOT):
        return dict(Advertiser(style, random.Random(1)).headers(snapshot, decision))

    def test_openai(self):
        self.assertEqual({"x-ratelimit-limit-requests": "30", "x-ratelimit-remaining-requests": "17",
                          "x-ratelimit-reset-requests": "650ms"}, self.tell("openai"))
        self.assertEqual("3", self.tell("openai", REFUSED)["retry-after"])
        rate = self.tell("openai-rate")
        self.assertEqual(("1200", "17"), (rate["x-ratelimit-limit-requests"], rate["x-ratelimit-remaining-requests"]))

    def test_anthropic_truncates_to_the_second(self):
        self.assertEqual({"anthropic-ratelimit-requests-limit": "30", "anthropic-ratelimit-requests-remaining": "17",
                          "anthropic-ratelimit-requests-reset": "2023-11-14T22:13:20Z"}, self.tell("anthropic"))
        self.assertEqual("3", self.tell("anthropic", REFUSED)["retry-after"])
        self.assertEqual("1200", self.tell("anthropic-rate")["anthropic-ratelimit-requests-limit"])

    def test_ietf(self):
        self.assertEqual({"RateLimit-Policy": '"default";q=1200;w=60', "RateLimit": '"default";r=17;t=1'},
                         self.tell("ietf-rate"))
        refused = self.tell("ietf-rate", REFUSED)
        self.assertEqual(('"default";r=17;t=3', "3"), (refused["RateLimit"], refused["retry-after"]))

    def test_epoch(self):
        self.assertEqual({"x-ratelimit-limit": "30", "x-ratelimit-remaining": "17", "x-ratelimit-reset": "1700000001"},
                         self.tell("epoch", REFUSED))

    def test_styles_that_tell_less_or_something_else(self):
        self.assertEqual({}, self.tell("none", REFUSED))
        self.assertEqual({"x-ratelimit-remaining-requests": "17"}, self.tell("remaining-only", REFUSED))
        self.assertEqual("9999", self.tell("lying", REFUSED)["x-ratelimit-remaining-requests"])
        self.assertEqual({"x-ratelimit-limit-requests": "50000", "x-ratelimit-remaining-requests": "49990",
                          "x-ratelimit-reset-requests": "17.28s"}, self.tell("day"))
        self.assertEqual({}, self.tell("retry-after"))
        self.assertEqual({"retry-after": "3"}, self.tell("retry-after", REFUSED))
        self.assertEqual({"retry-after": "Tue, 14 Nov 2023 22:13:23 GMT"}, self.tell("http-date", REFUSED))

    def test_stale_repeats_itself_for_a_while(self):
        advertiser = Advertiser("stale", random.Random(1), stale_for=5)
        told = [dict(advertiser.headers(Snapshot(NOON + t, 30, 1200, 20 - t, 1.0), ADMITTED))
                ["x-ratelimit-remaining-requests"] for t in range(8)]
        self.assertEqual(["20"] * 5 + ["15"] * 3, told)

    def test_half_tells_about_half(self):
        advertiser = Advertiser("half", random.Random(1))
        told = sum(bool(advertiser.headers(self.SNAPSHOT, ADMITTED)) for _ in range(1000))
        self.assertTrue(430 < told < 570, told)

    def test_every_style_keeps_to_the_rules_of_http(self):
        for style in STYLES:
            advertiser = Advertiser(style, random.Random(1))
            for number in range(200):
                for snapshot in (self.SNAPSHOT, Snapshot(NOON)):
                    for name, value in advertiser.headers(snapshot, ADMITTED if number % 2 else REFUSED):
                        self.assertRegex(name, r"^[A-Za-z-]+$")
                        self.assertRegex(value, r"^[ -~]*$")


class OptimumTest(unittest.TestCase):
    def test_agrees_with_a_client_that_knows_when_the_gate_opens(self):
        for settings, requests, start in [
            (Settings(rate=20, capacity=30), 400, NOON),
            (Settings(rate=20, capacity=30, change=((2, 6, 0.5),)), 200, NOON),
            (Settings(window=(10, 20)), 70, NOON + 3.25),
            (Settings(rate=5, capacity=5, window=(10, 20)), 41, NOON),
        ]:
            self.assertAlmostEqual(greedy(settings, requests, start), last_admission(settings, requests, start), 2)

    def test_rows(self):
        self.assertEqual(list(range(1, 18)), [row.number for row in ROWS])
        optimum = {row.number: row.optimum(row.requests) for row in ROWS}
        self.assertAlmostEqual(72.0, optimum[8])
        self.assertAlmostEqual(114.0 + 1.4, optimum[16])
        for number, seconds in optimum.items():
            self.assertTrue(60 <= seconds <= 116, (number, seconds))

    def test_settings_survive_the_command_line(self):
        for row in ROWS:
            options = vars(parser().parse_args(row.settings.arguments()))
            options.pop("port")
            self.assertEqual(row.settings, Settings(**options | {"change": tuple(options["change"])}))


class ServerTest(unittest.TestCase):
    """Over a real socket, with latencies of milliseconds."""

    def talk(self, settings, dialogue):
        async def main():
            provider = Provider(settings, steady_clock())
            server = await asyncio.get_running_loop().create_server(lambda: Connection(provider), "127.0.0.1", 0)
            try:
                return await asyncio.wait_for(dialogue(provider, server.sockets[0].getsockname()[1]), 5)
            finally:
                server.close()

        return asyncio.run(main())

    @staticmethod
    def request(path, prompt="hello", **more):
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": prompt}], **more}).encode()
        return b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (path.encode(), len(body), body)

    @staticmethod
    async def response(reader):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        status = int(head.split(" ")[1])
        headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
        if "content-length" in headers:
            return status, headers, (await reader.readexactly(int(headers["content-length"]))).decode()
        body = b""
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readexactly(2)
        await reader.readexactly(2)
        return status, headers, body.decode()

    def test_answers_refuses_and_counts_on_one_connection(self):
        async def dialogue(provider, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for path in ("/v1/chat/completions", "/v1/messages"):
                writer.write(self.request(path, path))
                status, headers, body = await self.response(reader)
                self.assertEqual(200, status)
                self.assertIn("Answer to: " + path, body)
                self.assertEqual("2", headers["x-ratelimit-limit-requests"])
            writer.write(self.request("/v1/messages"))
            status, headers, body = await self.response(reader)
            self.assertEqual((429, "rate_limit_error"), (status, json.loads(body)["error"]["type"]))
            self.assertIn("retry-after", headers)
            writer.write(self.request("/v1/chat/completions"))
            status, _, body = await self.response(reader)
            self.assertEqual((429, "rate_limit_exceeded"), (status, json.loads(body)["error"]["code"]))
            writer.write(b"GET /stats HTTP/1.1\r\n\r\n")
            stats = json.loads((await self.response(reader))[2])
            writer.close()
            return stats

        settings = Settings(rate=0.001, capacity=2, latency=0.005, refusal_latency=0, advertise="openai")
        stats = self.talk(settings, dialogue)
        expected = {"attempts": 4, "accepted": 2, "answers": 2, "refusals": 2, "refused_at_random": 0,
                    "peak_in_flight": 1, "in_flight": 0, "distinct_answered": 2, "duplicates": 0}
        self.assertEqual(expected, {name: stats[name] for name in expected})
        self.assertTrue(0.01 <= stats["makespan"] < 2, stats["makespan"])

    def test_streams(self):
        async def dialogue(provider, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(self.request("/v1/chat/completions", stream=True, stream_options={"include_usage": True}))
            openai = await self.response(reader)
            writer.write(self.request("/v1/messages", stream=True))
            anthropic = await self.response(reader)
            writer.close()
            return openai, anthropic

        for share in (0.5, 1.0):
            openai, anthropic = self.talk(Settings(latency=0.005, stream_head=share), dialogue)
            self.assertTrue(openai[2].endswith("data: [DONE]\n\n"))
            self.assertIn('"total_tokens": 20', openai[2])
            self.assertIn("Answer to: hello", openai[2])
            self.assertTrue(anthropic[2].startswith("event: message_start\n"))
            self.assertIn("event: message_stop", anthropic[2])

    def test_a_request_that_hangs_is_closed_and_one_whose_client_leaves_is_abandoned(self):
        async def dialogue(provider, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(self.request("/v1/chat/completions"))
            self.assertEqual(b"", await reader.read())
            writer.close()
            self.assertEqual((1, 1, 0), (provider.stats.hung, provider.stats.abandoned, provider.stats.in_flight))
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(self.request("/v1/chat/completions"))
            while provider.stats.in_flight == 0:
                await asyncio.sleep(0.001)
            writer.close()
            while provider.stats.in_flight:
                await asyncio.sleep(0.001)
            return provider.stats

        self.assertEqual(2, self.talk(Settings(hang=1.0, hang_seconds=0.05), dialogue).abandoned)

    def test_chunked_bodies_pieces_and_nonsense(self):
        async def dialogue(provider, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            body = json.dumps({"messages": [{"role": "user", "content": [{"type": "text", "text": "in pieces"}]}]})
            head = b"POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
            data = head + b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in (body[:9].encode(), body[9:].encode()))
            for byte in data + b"0\r\n\r\n":
                writer.write(bytes([byte]))
                await asyncio.sleep(0)
            self.assertIn("in pieces", (await self.response(reader))[2])
            writer.write(b"POST /v1/messages HTTP/1.1\r\nContent-Length: 2\r\n\r\n[]")
            self.assertEqual(400, (await self.response(reader))[0])
            writer.write(b"GET /nowhere HTTP/1.1\r\n\r\n")
            self.assertEqual(404, (await self.response(reader))[0])
            writer.write(b"nonsense\r\n\r\n")
            self.assertEqual(400, (await self.response(reader))[0])
            self.assertEqual(b"", await reader.read())
            writer.close()

        self.talk(Settings(latency=0.001), dialogue)

    def test_prompts(self):
        messages = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"},
                    {"role": "assistant", "content": "c"}]
        self.assertEqual("b", prompt_of({"messages": messages}))


if __name__ == "__main__":
    unittest.main()
