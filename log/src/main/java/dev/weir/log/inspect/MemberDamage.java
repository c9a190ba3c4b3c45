package dev.weir.log.inspect;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The members of a file that were skipped: names some, counts all. Not thread-safe. */
final class MemberDamage {

  private static final int NAMED = 100;

  private final List<String> first = new ArrayList<>();
  private final Set<String> members = new HashSet<>();

  /** A member that is read again is told once. */
  void add(String member, DamagedException damaged) {
    if (members.add(member) && first.size() < NAMED) {
      first.add(String.valueOf(damaged.getMessage()));
    }
  }

  boolean has(String member) {
    return members.contains(member);
  }

  List<String> told() {
    List<String> told = new ArrayList<>(first);
    if (members.size() > first.size()) {
      told.add("%d other members are damaged, too".formatted(members.size() - first.size()));
    }
    return told;
  }
}
