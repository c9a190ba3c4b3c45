package dev.weir.eval.sandbox;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The kind of sandbox that a sample gets. What a type cannot do cannot be asked of it.
 *
 * @param type how programs are kept apart
 * @param image what a container is made of; empty unless {@code docker}
 * @param network whether programs reach it; always true for {@code local}, which cannot prevent it
 * @param limits what programs may use
 * @param cpus how many processors a container may keep busy, such as 1.5; only {@code docker}
 * @param mounts files and directories of this machine to be seen in there, read-only, at the same
 *     path; absolute; only {@code bubblewrap}
 * @param environment variables of all commands
 * @param outputLimit bytes that are kept of each of a command's two outputs
 * @param fileLimit bytes of the largest file to be read or written from outside
 */
public record SandboxSpec(
    SandboxType type,
    String image,
    boolean network,
    ProcessLimits limits,
    Optional<Double> cpus,
    List<Path> mounts,
    Map<String, String> environment,
    int outputLimit,
    int fileLimit) {

  /** The published limit of Inspect for each stream: 10 MiB. */
  public static final int DEFAULT_OUTPUT_LIMIT = 10 << 20;

  /** The published limit of Inspect for files: 100 MiB. */
  public static final int DEFAULT_FILE_LIMIT = 100 << 20;

  /** As much as one array holds with room to spare. */
  private static final int LARGEST_LIMIT = 1 << 30;

  /**
   * @throws IllegalArgumentException if the type cannot do what is asked of it
   */
  public SandboxSpec {
    mounts = List.copyOf(mounts);
    environment = Map.copyOf(environment);
    ExecRequest.requireVariables(environment);
    requireOnly(type, SandboxType.DOCKER, "image", !image.isEmpty());
    requireOnly(type, SandboxType.DOCKER, "cpus", cpus.isPresent());
    requireOnly(type, SandboxType.BUBBLEWRAP, "mounts", !mounts.isEmpty());
    if (type == SandboxType.DOCKER) {
      requireImage(image);
    }
    if (type == SandboxType.LOCAL && !network) {
      throw new IllegalArgumentException(
          "`network` cannot be false for a local sandbox, which cannot keep programs from it;"
              + " bubblewrap and docker can");
    }
    cpus.ifPresent(number -> require("cpus", number > 0 && number <= 65_536, "> 0", number));
    mounts.forEach(path -> require("mounts", path.isAbsolute(), "absolute paths", path));
    requireLimit("output_limit", outputLimit);
    requireLimit("file_limit", fileLimit);
  }

  public static SandboxSpec local() {
    return defaults(SandboxType.LOCAL, "", true);
  }

  /** Without network. */
  public static SandboxSpec bubblewrap() {
    return defaults(SandboxType.BUBBLEWRAP, "", false);
  }

  /** Without network. */
  public static SandboxSpec docker(String image) {
    return defaults(SandboxType.DOCKER, image, false);
  }

  /**
   * Reads what a task file or a command line says: {@code docker}, or {@code docker:python:3.13}
   * with the image; and the options {@code image, network, processes, cpu_time, memory, file_size,
   * cpus, mounts, output_limit, file_limit}. Sizes are bytes, or as in {@code 512MB}; several
   * mounts are separated by colons.
   *
   * @throws ConfigurationException if something is unknown or cannot be
   */
  public static SandboxSpec of(
      String typeAndImage, Map<String, String> options, Map<String, String> environment) {
    return new SpecOptions(typeAndImage, options).read(environment);
  }

  public SandboxSpec withNetwork(boolean newNetwork) {
    return new SandboxSpec(
        type, image, newNetwork, limits, cpus, mounts, environment, outputLimit, fileLimit);
  }

  public SandboxSpec withLimits(ProcessLimits newLimits) {
    return new SandboxSpec(
        type, image, network, newLimits, cpus, mounts, environment, outputLimit, fileLimit);
  }

  public SandboxSpec withCpus(double newCpus) {
    return new SandboxSpec(
        type,
        image,
        network,
        limits,
        Optional.of(newCpus),
        mounts,
        environment,
        outputLimit,
        fileLimit);
  }

  public SandboxSpec withMounts(List<Path> newMounts) {
    return new SandboxSpec(
        type, image, network, limits, cpus, newMounts, environment, outputLimit, fileLimit);
  }

  public SandboxSpec withEnvironment(Map<String, String> newEnvironment) {
    return new SandboxSpec(
        type, image, network, limits, cpus, mounts, newEnvironment, outputLimit, fileLimit);
  }

  public SandboxSpec withOutputLimit(int bytes) {
    return new SandboxSpec(
        type, image, network, limits, cpus, mounts, environment, bytes, fileLimit);
  }

  public SandboxSpec withFileLimit(int bytes) {
    return new SandboxSpec(
        type, image, network, limits, cpus, mounts, environment, outputLimit, bytes);
  }

  /** Values of variables may be credentials. */
  @Override
  public String toString() {
    return "SandboxSpec[%s%s, network=%s, %s, cpus=%s, mounts=%s, environment=%s, %d, %d]"
        .formatted(
            type.word(),
            image.isEmpty() ? "" : ":" + image,
            network,
            limits,
            cpus,
            mounts,
            environment.keySet(),
            outputLimit,
            fileLimit);
  }

  /**
   * @throws ConfigurationException if commands cannot run as another user in such a sandbox
   */
  public void requireUser(String user) {
    if (type != SandboxType.DOCKER) {
      throw new ConfigurationException(
          "a %s sandbox cannot run a command as another user ('%s'); leave `user` out, or take a docker sandbox"
              .formatted(type.word(), Printable.line(user)));
    }
  }

  private static SandboxSpec defaults(SandboxType type, String image, boolean network) {
    return new SandboxSpec(
        type,
        image,
        network,
        ProcessLimits.defaults(),
        Optional.empty(),
        List.of(),
        Map.of(),
        DEFAULT_OUTPUT_LIMIT,
        DEFAULT_FILE_LIMIT);
  }

  /** It must not be taken for an option of the command. */
  private static void requireImage(String image) {
    if (image.isBlank()) {
      throw new IllegalArgumentException(
          "`image` must name the image of a docker sandbox, as in docker:python:3.13");
    }
    require("image", !image.startsWith("-"), "a name that does not begin with '-'", image);
  }

  private static void requireOnly(
      SandboxType type, SandboxType able, String option, boolean given) {
    if (given && type != able) {
      throw new IllegalArgumentException(
          "`%s` is only for %s sandboxes, not for %s".formatted(option, able.word(), type.word()));
    }
  }

  private static void requireLimit(String name, int bytes) {
    require(name, bytes >= 1 && bytes <= LARGEST_LIMIT, "from 1 to " + LARGEST_LIMIT, bytes);
  }

  private static void require(String name, boolean met, String rule, Object value) {
    if (!met) {
      throw new IllegalArgumentException("`%s` must be %s, was %s".formatted(name, rule, value));
    }
  }
}
