package dev.weir.log.inspect;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The members of a zip file in their order, without those that a later one of the same name
 * replaces. Needs 8 bytes of memory for each member at first, and names only where two have the
 * same hash.
 */
final class LastOfName {

  private final Predicate<String> isWanted;
  private final ZipDirectory directory;

  /** For names that may occur several times: the place of the last. */
  private final Map<String, Long> lastAt;

  private long at;

  LastOfName(ZipReader zip, Predicate<String> isWanted) throws IOException {
    this.isWanted = isWanted;
    Set<Long> suspects = repeatedHashes(zip);
    this.lastAt = suspects.isEmpty() ? Map.of() : lastPlaces(zip, suspects);
    this.directory = zip.directory();
  }

  private static Set<Long> repeatedHashes(ZipReader zip) throws IOException {
    long[] hashes = new long[Math.toIntExact(zip.members())];
    ZipDirectory walk = zip.directory();
    int count = 0;
    for (ZipMember member = walk.next(); member != null; member = walk.next()) {
      hashes[count++] = hash(member.name());
    }
    Arrays.sort(hashes, 0, count);
    Set<Long> repeated = new HashSet<>();
    for (int i = 1; i < count; i++) {
      if (hashes[i] == hashes[i - 1]) {
        repeated.add(hashes[i]);
      }
    }
    return repeated;
  }

  private static Map<String, Long> lastPlaces(ZipReader zip, Set<Long> suspects)
      throws IOException {
    Map<String, Long> places = new HashMap<>();
    ZipDirectory walk = zip.directory();
    long place = 0;
    for (ZipMember member = walk.next(); member != null; member = walk.next()) {
      if (suspects.contains(hash(member.name()))) {
        places.put(member.name(), place);
      }
      place++;
    }
    return places;
  }

  static long hash(String name) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
    }
    return hash;
  }

  /** The next of those wanted, null after the last. */
  @Nullable ZipMember next() throws IOException {
    for (ZipMember member = directory.next(); member != null; member = directory.next()) {
      long place = at++;
      if (isWanted.test(member.name()) && lastAt.getOrDefault(member.name(), place) == place) {
        return member;
      }
    }
    return null;
  }
}
