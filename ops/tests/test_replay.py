"""What ops/replay computes without Prometheus."""

import sys
import unittest

import promql

sys.path.insert(0, str(promql.OPS / "replay"))

import expected  # noqa: E402
import model  # noqa: E402


class ReplayTest(unittest.TestCase):
    def test_the_model_crosses_soft_and_hard_thresholds_and_returns(self):
        levels = [model.level(minute * 60) for minute in range(121)]
        self.assertLess(levels[0], 0.6)
        self.assertGreater(max(levels), 0.9)
        self.assertLess(levels[-1], 0.6)

    def test_no_scrape_sees_a_burst(self):
        scraped = range(model.SCRAPE_OFFSET, model.SECONDS, model.SCRAPE_INTERVAL)
        self.assertFalse([second for second in scraped if model.is_burst(second)])

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
