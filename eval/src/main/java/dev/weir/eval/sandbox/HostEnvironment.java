package dev.weir.eval.sandbox;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** What of this program's environment may be known elsewhere. */
final class HostEnvironment {

  private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

  /** What the docker command needs to find its engine, and nothing for containers. */
  private static final Pattern FOR_DOCKER =
      Pattern.compile("PATH|HOME|DOCKER_.*|XDG_RUNTIME_DIR|XDG_CONFIG_HOME|SSH_AUTH_SOCK|TMPDIR");

  private static final Set<String> FOR_SERVERS = Set.of("HOME", "LANG", "TMPDIR", "USER");

  private HostEnvironment() {}

  /** The variables of commands: no credential is among them unless the user names it. */
  static Map<String, String> forCommands(
      Map<String, String> host, String home, String temporary, Map<String, String> added) {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("PATH", path(host));
    environment.put("HOME", home);
    environment.put("LANG", host.getOrDefault("LANG", "C.UTF-8"));
    environment.put("TMPDIR", temporary);
    environment.putAll(added);
    return environment;
  }

  /** The variables of servers of this machine: as many as programs need to find their things. */
  static Map<String, String> forServers(Map<String, String> host, Map<String, String> added) {
    Map<String, String> environment = new LinkedHashMap<>(host);
    environment.keySet().retainAll(FOR_SERVERS);
    environment.put("PATH", path(host));
    environment.putAll(added);
    return environment;
  }

  static Map<String, String> forDocker(Map<String, String> host) {
    Map<String, String> environment = new LinkedHashMap<>(host);
    environment.keySet().removeIf(name -> !FOR_DOCKER.matcher(name).matches());
    environment.put("PATH", path(host));
    return environment;
  }

  /** Where a program is. */
  static Optional<Path> find(String program, Map<String, String> host) {
    return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
        .splitAsStream(path(host))
        .filter(directory -> directory.startsWith("/"))
        .map(directory -> Path.of(directory, program))
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst();
  }

  private static String path(Map<String, String> host) {
    return host.getOrDefault("PATH", DEFAULT_PATH);
  }
}
