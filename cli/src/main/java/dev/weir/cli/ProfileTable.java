package dev.weir.cli;

import dev.weir.simulator.server.Profile;
import dev.weir.simulator.server.Setting;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;

/** The profiles of {@code weir simulate}, for people or as JSON. */
final class ProfileTable {

  private static final JsonMapper JSON = new JsonMapper();

  private final PrintWriter out;

  ProfileTable(PrintWriter out) {
    this.out = out;
  }

  void print(List<Profile> profiles, boolean asJson) {
    if (asJson) {
      out.println(JSON.writeValueAsString(profiles.stream().map(ProfileTable::document).toList()));
      return;
    }
    out.printf(
        "%-17s %6s %14s %-8s %-11s %-10s %s%n",
        "profile", "rpm", "tpm", "cap", "headers", "date", "what");
    for (Profile profile : profiles) {
      out.printf(
          "%-17s %6s %14s %-8s %-11s %-10s %s%n",
          profile.name(),
          word(profile, Setting.RPM),
          tokens(profile),
          word(profile, Setting.CAP),
          word(profile, Setting.HEADERS),
          profile.date(),
          profile.description());
    }
    out.println();
    out.println(
        "Tiers change often. Where the numbers are from (assumptions are listed with --json):");
    Map<String, List<String>> bySource = new LinkedHashMap<>();
    for (Profile profile : profiles) {
      bySource.computeIfAbsent(profile.source(), _ -> new ArrayList<>()).add(profile.name());
    }
    bySource.forEach(
        (source, names) -> out.printf("  %s%n    %s%n", String.join(", ", names), source));
  }

  /** One JSON document per line. */
  void printLines(List<Profile> profiles) {
    profiles.forEach(profile -> out.println(JSON.writeValueAsString(document(profile))));
  }

  /** All together, or those of prompts and of answers. */
  private static String tokens(Profile profile) {
    return profile.settings().containsKey(Setting.OUTPUT_TPM)
        ? word(profile, Setting.INPUT_TPM) + "+" + word(profile, Setting.OUTPUT_TPM)
        : word(profile, Setting.TPM);
  }

  private static String word(Profile profile, Setting setting) {
    return profile.settings().getOrDefault(setting, "–");
  }

  private static Map<String, Object> document(Profile profile) {
    Map<String, Object> settings = new TreeMap<>();
    profile.settings().forEach((setting, word) -> settings.put(setting.key(), word));
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("profile", profile.name());
    document.put("description", profile.description());
    document.put("settings", settings);
    document.put("source", profile.source());
    document.put("date", profile.date().toString());
    document.put("notes", profile.notes());
    return document;
  }
}
