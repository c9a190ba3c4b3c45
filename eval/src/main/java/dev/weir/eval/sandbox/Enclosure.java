package dev.weir.eval.sandbox;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What one type of sandbox does differently from the others. Thread-safe. */
interface Enclosure {

  /** Where commands run, as they see it. */
  String workingDirectory();

  /** For files that nobody else needs, as commands see it. */
  String temporaryDirectory();

  /** The limits that the shell which starts a command must set; none if others see to it. */
  ProcessLimits shellLimits();

  /**
   * The process of this machine that runs a command in there.
   *
   * @param environment in addition to what all commands have, the mark included
   * @throws dev.weir.model.ConfigurationException if there are no users to choose from
   */
  Launch launch(List<String> command, Map<String, String> environment, Optional<String> user);

  /** Ends all that has the mark and that ending the launched process did not end. */
  void end(String mark);

  /**
   * The absolute path in the sandbox.
   *
   * @param attempt for the message: {@code "cannot read"}
   */
  String resolve(String path, String attempt) throws SandboxFileException;

  /** Ends everything and removes what is not in the folder of this machine. */
  void close();
}
