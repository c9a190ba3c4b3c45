"""The rules file: what promtool does not check."""

import re
import unittest

import promql

PAGE = promql.OPS.parent / "docs" / "saturation.md"


def anchors(markdown):
    """The anchors that GitHub gives to headings."""
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"(?m)^#+ (.+)$", markdown)
    }


class RulesTest(unittest.TestCase):
    def setUp(self):
        self.rules = promql.rules()
        self.alerts = [rule for rule in self.rules if rule.kind == "alert"]
        self.components = {
            rule.component for rule in self.rules if rule.name == "gitlab_component_saturation:ratio"
        }

    def test_the_published_saturation_points_are_recorded(self):
        self.assertLessEqual(
            {
                "max_concurrent_inferences",
                "max_concurrent_inferences_per_engine",
                "concurrent_inferences_per_engine",
                "gcp_quota_limit_vertex_ai",
                "gcp_quota_limit_vertex_ai_input_tokens",
                "gcp_quota_limit_vertex_ai_output_tokens",
            },
            self.components,
        )

    def test_each_saturation_point_has_both_thresholds(self):
        for level in ("soft", "hard"):
            name = f"slo:max:{level}:gitlab_component_saturation:ratio"
            self.assertEqual(
                self.components, {rule.component for rule in self.rules if rule.name == name}
            )

    def test_each_saturation_point_but_the_second_name_has_one_alert_per_threshold(self):
        for level in ("soft", "hard"):
            selectors = [
                re.search(r'component=~"([^"]+)"', alert.query).group(1)
                for alert in self.alerts
                if f"threshold: {level}" in alert.body
            ]
            for component in self.components:
                expected = 0 if component == "concurrent_inferences_per_engine" else 1
                matching = [s for s in selectors if re.fullmatch(s, component)]
                self.assertEqual(expected, len(matching), component)

    def test_no_alert_pages(self):
        for alert in self.alerts:
            self.assertRegex(alert.body, r"severity: s[34]\n", alert.name)
            self.assertNotIn("pager", alert.body, alert.name)

    def test_annotations_query_nothing(self):
        # A template could fetch a limit with `query`.
        for alert in self.alerts:
            for template in re.findall(r"\{\{.*?\}\}", alert.body.split("annotations:")[1]):
                self.assertNotRegex(template, r"\bquery\b|\bgraphLink\b|\btableLink\b")

    def test_alerts_show_steps_of_five_percent(self):
        for alert in self.alerts:
            if "$value" in alert.body:
                self.assertIn("5 * floor(20 * (", alert.query, alert.name)

    def test_each_alert_links_to_a_section(self):
        known = anchors(PAGE.read_text(encoding="utf-8"))
        for alert in self.alerts:
            link = re.search(r"runbook_url: '(.*)'", alert.body).group(1)
            base, anchor = link.split("docs/saturation.md#")
            self.assertEqual("{{ $externalLabels.weir_runbook_base }}", base)
            if anchor == "{{ $labels.component }}":
                selector = re.search(r'component=~"([^"]+)"', alert.query).group(1)
                wanted = {c for c in self.components if re.fullmatch(selector, c)}
            else:
                wanted = {anchor}
            self.assertLessEqual(wanted, known, alert.name)

    def test_links_within_the_page_resolve(self):
        page = PAGE.read_text(encoding="utf-8")
        self.assertLessEqual(set(re.findall(r"\]\(#([^)]+)\)", page)), anchors(page))
        for path in re.findall(r"\]\(([^)#]+)\)", page):
            self.assertTrue((PAGE.parent / path).exists(), path)


if __name__ == "__main__":
    unittest.main()
