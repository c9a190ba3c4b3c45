"""What ops/replay computes without Prometheus."""

import sys
import unittest

import promql

sys.path.insert(0, str(promql.OPS / "replay"))

import expected  # noqa: E402
import truth  # noqa: E402


class ReplayTest(unittest.TestCase):
    def test_levels_have_peaks_and_integrals(self):
        second = truth.SECOND
        levels = truth.Levels([(second, 4 * second), (2 * second, 3 * second), (9 * second, 10 * second)])
        self.assertEqual([0, 1, 2, 1, 0], [levels.at(at * second) for at in range(5)])
        self.assertEqual(2, levels.highest(0, 20 * second))
        self.assertEqual(1, levels.highest(3 * second + 1, 20 * second))
        self.assertEqual(4.0, levels.seconds(8 * second))
        limits = [(0, None), (second, 1), (3 * second, 2)]
        self.assertEqual(2.0, levels.at_least(limits, 20 * second))

    def test_the_fullest_minute_is_that_of_five(self):
        second = truth.SECOND
        entries = [(at * second, 1) for at in range(2, 11)] + [(at * second, 1) for at in range(92, 96)]
        used = truth.Amounts(0, entries)
        # As TelemetryTest has it.
        fullest = [used.fullest(minute * 60 * second) for minute in range(10)]
        self.assertEqual([0, 9, 9, 9, 9, 9, 6, 4, 0, 0], fullest)
        self.assertEqual(2, used.now(3 * second))

    def test_a_rate_survives_a_reset(self):
        samples = expected.Samples()
        for at, value in ((0, 100), (15, 115), (30, 5), (45, 20), (60, 35)):
            samples.add(at, "calls_total", {"a": "b"}, value)
        ((_, rate),) = samples.rate("calls_total", 60, 60)
        self.assertAlmostEqual(50 / 60, rate)  # 15 + 5 + 15 + 15

    def test_a_quantile_is_interpolated_within_its_bucket(self):
        entries = [({"le": bound}, value) for bound, value in (("1", 50), ("2", 100), ("+Inf", 100))]
        self.assertEqual({(): 1.5}, expected.quantile(0.75, entries, []))


if __name__ == "__main__":
    unittest.main()
