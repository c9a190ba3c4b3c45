package dev.weir.cli;

import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Providers;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir providers}: who can be asked. */
@Command(
    name = "providers",
    description = "List the providers: what a model name may begin with, and what each needs.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir providers",
      "  weir eval examples/capitals.yaml --model openai/gpt-5.6-luna",
      "  weir eval examples/capitals.yaml --model ollama/llama3.2 --self-hosted"
    })
final class ProvidersCommand implements Callable<Integer> {

  @Option(names = "--json", description = "One JSON document per line.")
  private boolean json;

  private final Surroundings surroundings;

  ProvidersCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() {
    Map<String, Provider> providers = Providers.all();
    int widest = providers.keySet().stream().mapToInt(String::length).max().orElse(0);
    providers.forEach(
        (name, provider) -> {
          String help = provider.help(name);
          surroundings
              .out()
              .println(
                  json
                      ? new JsonMapper().createObjectNode().put("name", name).put("help", help)
                      : name + " ".repeat(widest - name.length() + 2) + help);
        });
    return ExitCode.SUCCESS;
  }
}
