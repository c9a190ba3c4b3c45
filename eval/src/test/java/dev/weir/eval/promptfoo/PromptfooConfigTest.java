package dev.weir.eval.promptfoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.LimitOptions;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.limits.Mode;
import dev.weir.limits.retry.AttemptTimeout;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of configurations. */
class PromptfooConfigTest {

  @TempDir Path directory;

  private Path write(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private List<TaskDefinition> read(String yaml) throws IOException {
    return read(yaml, Map.of());
  }

  private List<TaskDefinition> read(String yaml, Map<String, String> environment)
      throws IOException {
    return PromptfooConfig.read(write("promptfooconfig.yaml", yaml), environment);
  }

  private String problems(String yaml) throws IOException {
    try {
      read(yaml);
      return "";
    } catch (ConfigurationException found) {
      return String.valueOf(found.getMessage()).replace(directory + "/", "");
    }
  }

  private static List<String> inputs(TaskDefinition task) {
    return task.dataset().samples().stream().map(Sample::input).toList();
  }

  private static String setting(TaskDefinition task, String option) {
    return task.settings().word(option).orElse("");
  }

  @Test
  void isToldFromATaskOfWeirs() throws IOException {
    assertThat(PromptfooConfig.isPromptfoo(write("a.yaml", "providers: [echo]\nprompts: [x]")))
        .isTrue();
    assertThat(
            PromptfooConfig.isPromptfoo(
                write("b.json", "{\"targets\": [\"echo\"], \"prompts\": [\"x\"]}")))
        .isTrue();
    assertThat(
            PromptfooConfig.isPromptfoo(
                write("c.yaml", "task: x\nproviders: [echo]\nprompts: [x]")))
        .isFalse();
    assertThat(PromptfooConfig.isPromptfoo(write("d.yaml", "task: x\ndataset: y.csv"))).isFalse();
    assertThat(PromptfooConfig.isPromptfoo(write("e.yaml", "{broken"))).isFalse();
    assertThat(PromptfooConfig.isPromptfoo(write("f.csv", "providers: [echo]\nprompts: [x]")))
        .isFalse();
    assertThat(PromptfooConfig.isPromptfoo(directory.resolve("none.yaml"))).isFalse();
  }

  @Test
  void eachProviderWithEachPromptIsATask() throws IOException {
    List<TaskDefinition> tasks =
        read(
            """
            description: greetings
            providers: [openai:gpt-4o, {id: anthropic:messages:claude-x, label: claude}]
            prompts: ['Hello {{name}}', {label: formal, raw: 'Good day, {{name}}'}]
            tests: [{vars: {name: Ann}}, {vars: {name: [Bob, Cleo]}}]
            """);
    assertThat(tasks)
        .extracting(TaskDefinition::name)
        .containsExactly(
            "greetings: openai:gpt-4o · Hello {{name}}",
            "greetings: claude · Hello {{name}}",
            "greetings: openai:gpt-4o · formal",
            "greetings: claude · formal");
    assertThat(tasks)
        .extracting(task -> setting(task, "model"))
        .startsWith("openai/gpt-4o", "anthropic/claude-x");
    assertThat(inputs(tasks.getFirst())).containsExactly("Hello Ann", "Hello Bob", "Hello Cleo");
    assertThat(inputs(tasks.getLast()))
        .containsExactly("Good day, Ann", "Good day, Bob", "Good day, Cleo");
    assertThat(tasks.getFirst().dataset().samples())
        .extracting(Sample::id)
        .containsExactly("1", "2", "3");
  }

  @ParameterizedTest
  @CsvSource({
    "openai:gpt-4o, openai/gpt-4o, ''",
    "openai:chat:gpt-4o, openai/gpt-4o, '{\"api\":\"chat\"}'",
    "openai:responses:o3, openai/o3, '{\"api\":\"responses\"}'",
    "azure:chat:my-deployment, azure/my-deployment, '{\"api\":\"chat\"}'",
    "azureopenai:my-deployment, azure/my-deployment, ''",
    "anthropic:claude-x, anthropic/claude-x, ''",
    "anthropic:messages:claude-x, anthropic/claude-x, ''",
    "google:gemini-x, google/gemini-x, ''",
    "vertex:gemini-x, vertex/gemini-x, ''",
    "bedrock:us.anthropic.claude-x:0, bedrock/us.anthropic.claude-x:0, ''",
    "bedrock:converse:amazon.nova:0, bedrock/amazon.nova:0, ''",
    "ollama:chat:llama3, ollama/llama3, ''",
    "ollama:llama3:8b, ollama/llama3:8b, ''",
    "mistral:large, mistral/large, ''",
    "groq:llama, groq/llama, ''",
    "deepseek:deepseek-chat, deepseek/deepseek-chat, ''",
    "openrouter:meta/llama, openrouter/meta/llama, ''",
    "togetherai:x/y, together/x/y, ''",
    "echo, mock/echo, ''",
    "'weir:sim/x:accuracy=1', 'sim/x:accuracy=1', ''",
  })
  void providersHaveOtherNamesHere(String id, String model, String arguments) throws IOException {
    TaskDefinition task = read("providers: ['%s']\nprompts: [x]".formatted(id)).getFirst();
    assertThat(setting(task, "model")).isEqualTo(model);
    assertThat(setting(task, "model-args")).isEqualTo(arguments);
  }

  @Test
  void theConfigOfAProviderBecomesSettings() throws IOException {
    TaskDefinition task =
        read(
                """
                providers:
                  - id: openai:chat:gpt-4o
                    config:
                      temperature: 0.5
                      max_tokens: 100
                      stop: [END, STOP]
                      apiBaseUrl: '{{env.BASE}}/v1'
                      apiKey: '{{ env.OPENAI_API_KEY }}'
                      maxRetries: 3
                      frequency_penalty: 0.1
                      response_format: {type: json_schema, json_schema: {name: x, schema: {type: object}}}
                      passthrough: {custom: {a: 1}}
                prompts: [x]
                """,
                Map.of("BASE", "http://127.0.0.1:1", "OPENAI_API_KEY", "secret"))
            .getFirst();
    assertThat(setting(task, "temperature")).isEqualTo("0.5");
    assertThat(setting(task, "max-tokens")).isEqualTo("100");
    assertThat(setting(task, "stop-seqs")).isEqualTo("[\"END\",\"STOP\"]");
    assertThat(setting(task, "model-base-url")).isEqualTo("http://127.0.0.1:1/v1");
    assertThat(setting(task, "max-retries")).isEqualTo("3");
    assertThat(setting(task, "response-schema")).isEqualTo("{\"type\":\"object\"}");
    assertThat(setting(task, "extra-body"))
        .contains("\"frequency_penalty\":0.1", "\"custom\":{\"a\":1}");
    assertThat(setting(task, "fail-on-error")).isEqualTo("false");
  }

  @Test
  void anAddressIsAProviderWhoseCredentialsAreNotShown() throws IOException {
    TaskDefinition task =
        read(
                """
                providers:
                  - id: https://models.example/v1/ask
                    label: my server
                    config:
                      headers: {authorization: 'Bearer {{env.KEY}}'}
                      body: {question: '{{prompt}}'}
                      transformResponse: '(json) => json.answers?.[0]["text"]'
                prompts: [x]
                """,
                Map.of("KEY", "secret"))
            .getFirst();
    assertThat(setting(task, "model")).isEqualTo("http/my-server");
    assertThat(setting(task, "model-args"))
        .contains("https://models.example/v1/ask", "${KEY}", "{{prompt}}", "$.answers[0]['text']")
        .doesNotContain("secret");
    assertThat(
            problems(
                """
                providers:
                  - {id: 'https://a.example', config: {body: {x: '{{name}}'}, transformResponse: 'json.a + 1', auth: {}}}
                prompts: [x]
                """))
        .contains("line 2, column 46: {{name}} in a `body`", "what is not a path", "`auth` of");
  }

  @Test
  void chatPromptsAreConversations() throws IOException {
    write(
        "chat.json",
        "[{\"role\": \"system\", \"content\": \"Be {{tone}}.\"}, {\"role\": \"user\", \"content\":"
            + " \"{{question}}\"}]");
    write(
        "chat.yaml",
        "- role: user\n"
            + "  content: '{{question}}'\n"
            + "- role: assistant\n"
            + "  content: Hm?\n"
            + "- role: user\n"
            + "  content: Again.\n");
    List<TaskDefinition> tasks =
        read(
            """
            providers: echo
            prompts: ['file://chat.json', chat.yaml]
            tests: [{vars: {tone: kind, question: "Say \\"hi\\",\\nplease"}}]
            """);
    assertThat(tasks.getFirst().dataset().samples().getFirst().messages())
        .containsExactly(Message.instructions("Be kind."), Message.user("Say \"hi\",\nplease"));
    assertThat(tasks.get(1).dataset().samples().getFirst().messages())
        .containsExactly(
            Message.user("Say \"hi\",\nplease"), Message.assistant("Hm?"), Message.user("Again."));
  }

  @Test
  void promptsComeFromManyKindsOfFiles() throws IOException {
    write("prompts/many.txt", "First {{x}}\n---\nSecond {{x}}\n");
    write("prompts/one.md", "# Third {{x}}\n");
    write("prompts/four.j2", "{% if x %}Fourth {{ x | upper }}{% endif %}");
    write("prompts/five.csv", "prompt,label\nFifth {{x}},five\n\"Sixth, {{x}}\",six\n");
    List<TaskDefinition> tasks =
        read(
            """
            providers: [echo]
            prompts: ['file://prompts/*.txt', prompts/one.md, 'file://prompts/four.j2', 'file://prompts/five.csv']
            tests: [{vars: {x: y}, options: {prefix: '<', suffix: '{{x}}>'}}]
            """);
    assertThat(tasks)
        .flatExtracting(PromptfooConfigTest::inputs)
        .containsExactly(
            "<First yy>",
            "<Second yy>",
            "<# Third y\ny>",
            "<Fourth Yy>",
            "<Fifth yy>",
            "<Sixth, yy>");
    assertThat(tasks)
        .extracting(TaskDefinition::name)
        .anyMatch(name -> name.endsWith("many.txt #2"))
        .anyMatch(name -> name.endsWith("six"));
  }

  @Test
  void testsComeFromManyKindsOfFiles() throws IOException {
    write(
        "t/a.csv",
        "city,__expected,__expected2,__description,__threshold,__metadata:kind\n"
            + "Rome,contains: Rome,not-icontains: sorry,first,0.5,capital\n");
    write(
        "t/b.jsonl",
        "{\"vars\": {\"city\": \"Oslo\"}, \"assert\": [{\"type\": \"equals\", \"value\":"
            + " \"Oslo\"}]}\n\n");
    write("t/c.json", "[{\"vars\": {\"city\": \"Bern\"}}]");
    write("t/d.yaml", "- vars: {city: Kyiv}\n");
    TaskDefinition task =
        read("providers: echo\n"
                + "prompts: ['{{city}}?']\n"
                + "tests: ['file://t/*.csv', t/b.jsonl, 'file://t/[cd].*', {vars: {city: Lima}}]")
            .getFirst();
    assertThat(inputs(task)).containsExactly("Rome?", "Oslo?", "Bern?", "Kyiv?", "Lima?");
    Sample first = task.dataset().samples().getFirst();
    assertThat(first.metadata())
        .containsEntry("kind", "capital")
        .containsEntry("description", "first");
    assertThat(first.targets()).containsExactly("Rome");
  }

  @Test
  void dataNeverReachesTheEnvironment() throws IOException {
    write(
        "t/a.csv",
        "x,y,__expected,__prefix\n"
            + "{{env.KEY}},{{x}} {{ env.KEY | upper }} {% if env.KEY %},contains:"
            + " {{env.KEY}},{{env.KEY}}\n");
    write("t/b.json", "[{\"vars\": {\"x\": \"{{env.KEY}}\", \"y\": \"{{env['KEY']}}\"}}]");
    write("t/c.jsonl", "{\"vars\": {\"x\": \"{{env.KEY}}\", \"y\": 1}}");
    write("v.yaml", "x: '{{env.KEY}}'\ny: 2\n");
    write("prompt.txt", "{{env.TONE}} {% if env.TONE %}{{ x }}{% endif %} {{ y | trim }}");
    TaskDefinition task =
        read(
                "providers: echo\n"
                    + "prompts: ['file://prompt.txt']\n"
                    + "tests: [t/a.csv, t/b.json, t/c.jsonl, {vars: 'file://v.yaml'}]",
                Map.of("KEY", "s3cret", "TONE", "kind"))
            .getFirst();
    assertThat(inputs(task))
        .containsExactly(
            "{{env.KEY}}kind {{env.KEY}} {{env.KEY}} {{ env.KEY | upper }} {% if env.KEY %}",
            "kind {{env.KEY}} {{env['KEY']}}", "kind {{env.KEY}} 1", "kind {{env.KEY}} 2");
    assertThat(task.dataset().samples().getFirst().targets()).containsExactly("{{env.KEY}}");
    assertThat(task.dataset().samples().toString()).doesNotContain("s3cret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{% include 'META-INF/MANIFEST.MF' %}",
        "{% for a in range(1000) %}{% for b in range(1000) %}{% for c in range(1000) %}{{ c }}"
            + "{% endfor %}{% endfor %}{% endfor %}",
      })
  void templatesReadNoFilesAndEnd(String prompt) throws IOException {
    assertThat(problems("providers: echo\nprompts: [\"" + prompt + "\"]"))
        .contains("the template cannot be used");
  }

  @Test
  void severalProblemsAreToldLineByLine() throws IOException {
    assertThat(problems("providers: echo\nprompts: [x]\nredteam: {}\ntracing: {}"))
        .matches("[^\n]*`?(redteam|tracing)[^\n]*;\n[^\n]*(redteam|tracing)[^\n]*");
  }

  @Test
  void variablesMultiplyAndComeFromFiles() throws IOException {
    write("docs/1.txt", "one\n");
    write("docs/2.txt", "two\n");
    write("data.yaml", "a: 1\n");
    TaskDefinition task =
        read("""
        providers: echo
        prompts: ['{{doc}} {{n}} {{greeting}} {{data}}']
        tests:
          - vars: {doc: 'file://docs/*.txt', n: ['1', '2'], name: Ann, greeting: 'Hi {{name}}', data: 'file://data.yaml'}
        """)
            .getFirst();
    assertThat(inputs(task))
        .containsExactly(
            "one 1 Hi Ann {\"a\":1}",
            "one 2 Hi Ann {\"a\":1}",
            "two 1 Hi Ann {\"a\":1}",
            "two 2 Hi Ann {\"a\":1}");
    TaskDefinition whole =
        read("providers: echo\n"
                + "prompts: ['{% for x in list %}{{x}};{% endfor %}']\n"
                + "tests: [{vars: {list: [1, 2]}, options: {disableVarExpansion: true}}]")
            .getFirst();
    assertThat(inputs(whole)).containsExactly("1;2;");
  }

  @Test
  void aListOfAnythingButTextsIsOneValue() throws IOException {
    TaskDefinition task =
        read("""
        providers: echo
        prompts: ['{% for turn in turns %}{% for role, said in turn %}{{role}}={{said}} {% endfor %}{% endfor %}{{n}}']
        tests: [{vars: {turns: [{user: hello}, {assistant: hi}], n: [1, 2]}}]
        """)
            .getFirst();
    assertThat(inputs(task)).containsExactly("user=hello assistant=hi [1, 2]");
  }

  @Test
  void optionsThatVendorsKeepApartAreFound() throws IOException {
    List<TaskDefinition> tasks =
        read(
            """
            providers:
              - {id: 'bedrock:converse:nova', config: {inferenceConfig: {max_new_tokens: 50, temperature: 0.5}}}
              - {id: 'google:gemini', config: {generationConfig: {maxOutputTokens: 60, response_schema: {type: object}}}}
              - {id: 'anthropic:messages:c', config: {effort: high, showThinking: false, stream: true, output_format: {type: json_schema, schema: {type: array}}}}
              - {id: 'openai:responses:gpt', config: {instructions: Be brief.}}
            prompts: [x]
            """);
    assertThat(tasks)
        .extracting(task -> setting(task, "max-tokens"))
        .containsExactly("50", "60", "", "");
    assertThat(tasks)
        .extracting(task -> setting(task, "response-schema"))
        .containsExactly("", "{\"type\":\"object\"}", "{\"type\":\"array\"}", "");
    assertThat(setting(tasks.get(0), "temperature")).isEqualTo("0.5");
    assertThat(setting(tasks.get(2), "reasoning-effort")).isEqualTo("high");
    assertThat(setting(tasks.get(3), "extra-body")).isEqualTo("{\"instructions\":\"Be brief.\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "prompts: [a      | line 1, column 12: the file is not YAML: the list [ at line 1, column"
            + " 10 is not",
        "prompts: a\u0007b | line 1, column 11: the file is not YAML: there is a character that no"
            + " text has",
        "''               | line 1, column 1: the file is empty",
      })
  void whatIsNoYamlIsToldInPlainWords(String text, String problem) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> read(text))
        .withMessageContaining("promptfooconfig.yaml, " + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'exec:'                            | `exec:` must be followed by a program",
        "'exec:./no-such.sh'                | there is no program ./no-such.sh in",
        "'exec: no-such-program x'          | there is no program no-such-program in the folders",
        "'exec: bin'                        | there is no program bin in the folders of PATH",
        "'exec: \"\"'                         | `exec:` must be followed by a program",
        "'exec: run \"a b'                   | the quote before a b is not closed",
        "{id: 'exec: true', config: {timeout: soon}} | line 2, column 50: `timeout` must be a"
            + " number of milliseconds",
        "{id: 'exec: true', config: {timeout: 0}} | line 2, column 50: `timeout` must be a number"
            + " of milliseconds",
        "{id: 'exec: true', config: {timeout: 99999999999}} | line 2, column 50: `timeout` must be"
            + " a number of milliseconds",
        "{id: 'exec: true', config: {timeout: 99999999999999999999}} | line 2, column 50: `timeout`"
            + " must be",
        "{id: 'exec: true', config: [1]} | line 2, column 40: the config of an exec provider must"
            + " be a mapping",
        "{id: 'exec: true', config: quick} | line 2, column 40: the config of an exec provider must"
            + " be a mapping",
      })
  void aProgramThatCannotBeRunIsToldWithItsPlace(String provider, String problem)
      throws IOException {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                read(
                    "prompts: [x]\nproviders: [%s]\n".formatted(provider),
                    Map.of("PATH", "/usr:/usr/bin:/bin")))
        .withMessageContaining(problem)
        .withMessageContaining("promptfooconfig.yaml, line 2");
  }

  @Test
  void wordsOfAProgramArePartedAsAShellDoes() throws IOException {
    TaskDefinition task =
        read(
                "prompts: [x]\nproviders: ['exec: sh a\"b c\"d \"\" -x=\"it''s\"']\n",
                Map.of("PATH", "/no-such:/bin"))
            .getFirst();
    assertThat(setting(task, "model-args"))
        .contains("[\\\"sh\\\",\\\"ab cd\\\",\\\"\\\",\\\"-x=it's\\\"]");
  }

  @Test
  void programsWhoseNamesFallTogetherAreNumbered() throws IOException {
    List<TaskDefinition> tasks =
        read(
            "prompts: [x]\n"
                + "providers: ['exec: sh a', 'exec: sh -a', 'exec:sh a', 'exec: sh \"a\"']\n",
            Map.of("PATH", "/bin"));
    assertThat(tasks).extracting(task -> setting(task, "model")).doesNotHaveDuplicates().hasSize(4);
    assertThat(setting(tasks.get(0), "model")).isEqualTo("exec/exec-sh-a");
    assertThat(setting(tasks.get(2), "model")).startsWith("exec/exec-sh-a-");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "prompts: [{label: a, raw: 'exec:./prompt.sh'}] | prompt function 'exec:./prompt.sh'",
        "prompts: ['file://p.py:Prompt.first'] | prompt function 'file://p.py:Prompt.first'",
        "tests: [{path: 'file://t.py:make', config: {n: 1}}] | `config` for tests from",
        "defaultTest: {options: {provider: {embedding: 'openai:embedding:e'}}} | a provider for"
            + " 'embedding'",
      })
  void whatIsOfPromptfooAloneIsToldAsThat(String part, String problem) throws IOException {
    String whole = (part.startsWith("prompts") ? "" : "prompts: [x]\n") + "providers: [echo]\n";
    assertThat(problems(whole + part))
        .contains(problem, "not supported", "line ")
        .doesNotContain(";\n");
  }

  @Test
  void aToolThatIsNoFunctionIsToldByItsKind() throws IOException {
    assertThat(
            problems(
                "prompts: [x]\nproviders: [{id: 'openai:responses:m', config: {tools: [{type:"
                    + " web_search}]}}, {id: 'google:g', config: {tools: [{googleSearch: {}}]}}]"))
        .contains("the tool 'web_search' is not supported", "the tool 'googleSearch'");
  }

  @Test
  void aConfigurationWithoutPromptsIsKnownByItsName() throws IOException {
    Path file = write("promptfooconfig.redteam.yaml", "targets: [echo]\nredteam: {plugins: []}");
    assertThat(PromptfooConfig.isPromptfoo(file)).isTrue();
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> PromptfooConfig.read(file, Map.of()))
        .withMessageContaining("`redteam` of the configuration is not supported");
  }

  @Test
  void aRubricMayBeInThePromptForJudges() throws IOException {
    String test = "tests: [{assert: [{type: llm-rubric}]}]";
    String start = "providers: [echo]\nprompts: [x]\n";
    assertThat(problems(start + test)).contains("llm-rubric needs a `value`");
    assertThat(
            problems(start + "defaultTest: {options: {rubricPrompt: 'Good? {{output}}'}}\n" + test))
        .isEmpty();
  }

  @Test
  void scenariosMultiplySetsAndTests() throws IOException {
    TaskDefinition task =
        read("""
        providers: echo
        prompts: ['{{hello}} in {{language}} for {{who}}']
        defaultTest: {vars: {who: all}}
        scenarios:
          - config: [{vars: {language: Spanish}}, {vars: {language: French, who: some}}]
            tests: [{vars: {hello: Hi}}, {vars: {hello: Bye, who: none}}]
        """)
            .getFirst();
    assertThat(inputs(task))
        .containsExactly(
            "Hi in Spanish for all",
            "Bye in Spanish for none",
            "Hi in French for some",
            "Bye in French for none");
  }

  @Test
  void aScenarioAddsToWhatItsTestsAssertAndSay() throws IOException {
    write("set.yaml", "language: Spanish\nwho: all\n");
    List<TaskDefinition> tasks =
        read(
            """
            providers: [{id: echo, label: a}, {id: echo, label: b}]
            prompts: ['{{hello}} in {{language}} for {{who}}']
            defaultTest: {assert: [{type: contains, value: default}]}
            scenarios:
              - config:
                  - vars: file://set.yaml
                    assert: [{type: contains, value: set}]
                    providers: [a]
                    metadata: {from: set, level: 1}
                tests:
                  - vars: {hello: Hi, who: some}
                    assert: {type: contains, value: own}
                    metadata: {from: test}
                  - {vars: {hello: Bye}}
            """);
    assertThat(tasks).hasSize(1);
    TaskDefinition task = tasks.getFirst();
    assertThat(inputs(task)).containsExactly("Hi in Spanish for some", "Bye in Spanish for all");
    assertThat(task.dataset().samples())
        .extracting(sample -> sample.targets())
        .containsExactly(List.of("default", "set", "own"), List.of("default", "set"));
    assertThat(task.dataset().samples().getFirst().metadata())
        .containsEntry("from", "test")
        .containsEntry("level", 1L);
  }

  @Test
  void aMistakeInAScenarioIsToldWhereItStands() throws IOException {
    assertThat(
            problems(
                """
                providers: echo
                prompts: [x]
                scenarios:
                  - config:
                      - {vars: {a: b}, asert: []}
                    tests: [{vars: {c: d}}]
                """))
        .contains("line 5, column 24: unknown key 'asert'");
  }

  @Test
  void allTestsHaveTheFiltersOfTheDefault() throws IOException {
    List<TaskDefinition> tasks =
        read(
            """
            providers: [{id: echo, label: a}, {id: echo, label: b}]
            prompts: [{label: short, raw: 's {{x}}'}, {label: long, raw: 'l {{x}}'}]
            defaultTest: {providers: [a], prompts: [short]}
            tests: [{vars: {x: 1}}, {vars: {x: 2}, providers: [b]}, {vars: {x: 3}, prompts: [long]}]
            """);
    assertThat(tasks)
        .extracting(PromptfooConfigTest::inputs)
        .containsExactly(List.of("s 1"), List.of("s 2"), List.of("l 3"));
    assertThat(
            problems(
                "providers: echo\nprompts: [x]\ndefaultTest: {providerOutput: said}\ntests: [{}]"))
        .contains("`providerOutput` of `defaultTest` is not supported");
  }

  @Test
  void anchorsReferencesAndMergesAreResolved() throws IOException {
    write("shared.yaml", "checks:\n  polite: {type: not-contains, value: damn}\n");
    TaskDefinition task =
        read("""
        providers: echo
        prompts: ['{{x}}']
        common: &common
          vars: {x: a}
        assertionTemplates:
          starts: {type: starts-with, value: a}
        tests:
          - <<: *common
            assert: [{$ref: '#/assertionTemplates/starts'}, {$ref: 'shared.yaml#/checks/polite'}]
        """)
            .getFirst();
    assertThat(inputs(task)).containsExactly("a");
    assertThat(task.dataset().samples().getFirst().targets()).containsExactly("a");
  }

  @Test
  void templatesOfAssertionsMayBeChangedWhereTheyAreUsedOrNotBeUsed() throws IOException {
    write("shared.yaml", "polite: {type: not-contains, value: damn}\n");
    TaskDefinition task =
        read("""
        providers: echo
        prompts: [x]
        assertionTemplates:
          has: {type: contains, value: a, weight: 2}
          hasB: {$ref: '#/assertionTemplates/has', value: b}
        tests:
          - assert:
              - {$ref: '#/assertionTemplates/has', value: c}
              - {$ref: '#/assertionTemplates/hasB', weight: 0}
              - {$ref: 'shared.yaml#/polite', metric: tone}
        """)
            .getFirst();
    assertThat(task.dataset().samples().getFirst().targets()).containsExactly("c", "b");
    assertThat(
            problems("providers: echo\nprompts: [x]\nassertionTemplates: {a: {type: is-json}}\n"))
        .isEmpty();
  }

  @Test
  void theReferencesOfSchemasAreTheirOwn() throws IOException {
    assertThat(
            problems(
                """
                providers: echo
                prompts: [x]
                tests:
                  - assert:
                      - type: is-json
                        value:
                          $defs: {name: {type: string}}
                          properties:
                            next: {$ref: '#', description: the same again}
                            all: {items: {$ref: '#'}}
                            name: {$ref: '#/$defs/name', minLength: 1}
                """))
        .isEmpty();
  }

  @Test
  void aReferenceThatCannotBeChangedSoIsTold() throws IOException {
    String start = "providers: echo\nprompts: [x]\n_text: words\n";
    assertThat(problems(start + "tests: [{assert: [{$ref: '#/_text', weight: 2}]}]"))
        .contains("line 4, column 19", "an assertion must have a `type`");
    assertThat(problems(start + "_a: {$ref: '#/_a', b: 1}\ntests: [{assert: [{$ref: '#/_a'}]}]"))
        .contains("'#/_a' has no end");
  }

  @Test
  void filtersChooseAmongProvidersAndPrompts() throws IOException {
    List<TaskDefinition> tasks =
        read(
            """
            providers: [{id: echo, label: a}, {id: echo, label: b, prompts: [short]}]
            prompts: [{label: short, raw: 's {{x}}'}, {label: long, raw: 'l {{x}}'}]
            tests: [{vars: {x: 1}}, {vars: {x: 2}, providers: [b]}, {vars: {x: 3}, prompts: ['lo*']}]
            """);
    assertThat(tasks)
        .extracting(PromptfooConfigTest::inputs)
        .containsExactly(List.of("s 1"), List.of("s 1", "s 2"), List.of("l 1", "l 3"));
  }

  @Test
  void optionsAndVariablesRegulateTheRun() throws IOException {
    TaskDefinition task =
        read("providers: echo\n"
                + "prompts: [x]\n"
                + "evaluateOptions: {maxConcurrency: 7, repeat: 3, delay: 250, cache: true,"
                + " timeoutMs: 5000}")
            .getFirst();
    assertThat(setting(task, "max-concurrency")).isEqualTo("7");
    assertThat(setting(task, "epochs")).isEqualTo("3");
    assertThat(setting(task, "delay")).isEqualTo("250ms");
    assertThat(setting(task, "cache")).isEqualTo("14d");
    assertThat(setting(task, "timeout")).isEqualTo("5000ms");
    TaskDefinition free = read("providers: echo\nprompts: [x]").getFirst();
    assertThat(setting(free, "max-concurrency")).isEmpty();
    TaskDefinition fixed =
        read(
                "providers: echo\nprompts: [x]\nenv: {PROMPTFOO_DELAY_MS: 100}",
                Map.of("PROMPTFOO_DISABLE_ADAPTIVE_SCHEDULER", "true"))
            .getFirst();
    assertThat(setting(fixed, "concurrency-mode")).isEqualTo("static");
    assertThat(setting(fixed, "max-connections")).isEqualTo("4");
    assertThat(setting(fixed, "delay")).isEqualTo("100ms");
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', 4, ",
    "'evaluateOptions: {maxConcurrency: 6}', '', 6, 6",
    "'', max-concurrency=8, 8, 8",
    "'', max-concurrency=20, 20, 20",
    "'evaluateOptions: {maxConcurrency: 6}', max-concurrency=20, 20, 20",
    "'', max-connections=20, 20, ",
  })
  void withoutTheAdaptiveSchedulerTheConcurrencyIsFixed(
      String options, String given, int window, @Nullable Integer overAll) throws IOException {
    TaskDefinition task =
        read(
                "providers: echo\nprompts: [x]\n" + options,
                Map.of("PROMPTFOO_DISABLE_ADAPTIVE_SCHEDULER", "true"))
            .getFirst();
    Settings line = Settings.NONE;
    if (!given.isEmpty()) {
      String[] pair = given.split("=", -1);
      line = line.with(Options.named(pair[0]), pair[1], "--" + pair[0]);
    }
    LimitOptions limits = RunOptions.parse(line.orElse(task.settings())).limits();
    assertThat(limits.mode()).isEqualTo(new Mode.Static(window));
    assertThat(limits.maxConcurrency()).isEqualTo(Optional.ofNullable(overAll));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PROMPTFOO_RETRY_5XX", "PROMPTFOO_DISABLE_ADAPTIVE_SCHEDULER"})
  void aWordThatIsNeitherTrueNorFalseIsAnError(String variable) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> read("providers: echo\nprompts: [x]", Map.of(variable, "maybe")))
        .withMessageContaining(variable + " must be true or false, was 'maybe'");
  }

  @Test
  void variablesOfTheSchedulerMeanWhatTheyMeanThere() throws IOException {
    TaskDefinition task =
        read(
                "providers: echo\nprompts: [x]",
                Map.of(
                    "PROMPTFOO_MIN_CONCURRENCY", "2",
                    "PROMPTFOO_SCHEDULER_QUEUE_TIMEOUT_MS", "0",
                    "PROMPTFOO_REQUEST_BACKOFF_MS", "5000",
                    "PROMPTFOO_RETRY_5XX", "true"))
            .getFirst();
    LimitOptions limits = RunOptions.parse(task.settings()).limits();
    assertThat(limits.minConcurrency()).contains(2);
    assertThat(limits.retryBounds())
        .isEqualTo(
            RetryBounds.NONE
                .withAttemptTimeout(AttemptTimeout.AUTO)
                .withQueueTimeout(Duration.ZERO)
                .withRequestBackoff(Duration.ofSeconds(5))
                .withRetry5xx(true));
    // A floor in the environment is no reason to refuse a run that has none.
    assertThat(limits.mode().word()).isEqualTo("pace");
    TaskDefinition none =
        read("providers: echo\nprompts: [x]", Map.of("PROMPTFOO_MIN_CONCURRENCY", "0")).getFirst();
    assertThat(setting(none, "min-concurrency")).isEmpty();
  }

  @Test
  void theConfigurationsOwnVariablesReachProviders() throws IOException {
    Path file =
        write(
            "promptfooconfig.yaml",
            "providers: echo\nprompts: [x]\nenv: {A: '{{env.B}}!', AZURE_API_KEY: k}");
    assertThat(PromptfooConfig.environment(file, Map.of("B", "b", "A", "old")))
        .isEqualTo(Map.of("A", "b!", "B", "b", "AZURE_API_KEY", "k", "AZURE_OPENAI_API_KEY", "k"));
  }

  @Test
  void gradersHaveRolesOfTheirOwn() throws IOException {
    TaskDefinition task =
        read("""
        providers: echo
        prompts: [x]
        defaultTest: {options: {provider: 'openai:gpt-4o'}}
        tests:
          - assert: [{type: llm-rubric, value: good}]
          - assert: [{type: llm-rubric, value: good, provider: {id: 'openai:chat:m', config: {apiBaseUrl: 'http://127.0.0.1:1/v1'}}}]
        """)
            .getFirst();
    assertThat(setting(task, "model-role"))
        .isEqualTo(
            "{\"grader\":\"openai/gpt-4o\",\"grader-2\":{\"model\":\"openai/m\",\"model_args\":{\"api\":\"chat\"},\"base_url\":\"http://127.0.0.1:1/v1\"}}");
  }

  @Test
  void everythingThatCannotBeDoneIsToldAtOnceWithItsPlace() throws IOException {
    assertThat(
            problems(
                """
                providers:
                  - openai:gpt-4o
                  - file://custom.js
                  - id: openai:embedding:x
                  - id: openai:gpt-4o
                    config: {temprature: 1, apiKey: hunter2}
                prompts: ['{{x}}', 'file://prompt.py:make']
                outputPath: out.json
                derivedMetrics: []
                tests:
                  - vars: {x: 1}
                    asert: []
                  - options: {storeOutputAs: y}
                    assert:
                      - {type: webhook, value: x}
                      - {type: contains}
                nonsense: 1
                """))
        .contains(
            "promptfooconfig.yaml, line 3, column 5: the provider 'file://custom.js' is not"
                + " supported",
            "line 4, column 5: the provider 'openai:embedding:x' is not supported",
            "line 6, column 14: unknown key 'temprature' in the config of a provider; did you mean"
                + " 'temperature'?",
            "line 6, column 29: a credential in the configuration is not supported; set"
                + " OPENAI_API_KEY in the environment",
            "line 7, column 20: the prompt function 'file://prompt.py:make' is not supported",
            "line 8, column 1: `outputPath` of the configuration is not supported; logs are written"
                + " to --log-dir",
            "line 9, column 1: `derivedMetrics`",
            "line 12, column 5: unknown key 'asert' in a test; did you mean 'assert'?",
            "line 13, column 15: `storeOutputAs`",
            "line 15, column 16: the assertion type 'webhook' is not supported",
            "line 16, column 9: contains needs a `value`",
            "line 17, column 1: unknown key 'nonsense' in the configuration")
        .doesNotContain("hunter2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "providers: echo\\n"
            + "prompts: ['{{env.NONE}}'] | line 2, column 11: the variable NONE is not set",
        "providers: []\\nprompts: [x] | there are no `providers`",
        "providers: echo\\n"
            + "prompts: [x]\\n"
            + "tests: [{vars: {a: []}}] | a list without values leaves no",
        "providers: echo\\nprompts: [] | there are no `prompts`",
        "providers: echo\\nprompts: ['file://none.txt'] | line 2, column 11: there is no file",
        "providers: echo\\n"
            + "prompts: ['{% if %}']\\n"
            + "tests: [{vars: {x: 1}}] | the template cannot be used",
        "providers: echo\\nprompts: ['{{_conversation}}'] | _conversation is not supported",
        "providers: {id: echo, config: {max_tokens: many}}\\nprompts: [x] | many",
        "providers: echo\\nprompts: [x]\\ntests: [{providers: [other]}] | no test is left",
        "providers: echo\\n"
            + "prompts: [x]\\n"
            + "tests: 'file://t.xlsx' | use a CSV, JSON, JSONL or YAML file",
        "providers: echo\\n"
            + "prompts: [x]\\n"
            + "evaluateOptions: {maxConcurency: 3} | did you mean 'maxConcurrency'?",
        "providers: echo\\nprompts: [x]\\ntests: [{vars: {a: &a [*a]}}] | has no end",
      })
  void badInputIsTold(String yaml, String problem) throws IOException {
    assertThat(problems(yaml.replace("\\n", "\n"))).contains(problem);
  }

  @Test
  void expectedTextsOfTablesAreAssertions() {
    Place place = Place.of(Path.of("t.csv"));
    assertThat(ExpectedText.parse("Paris", place).plain())
        .isEqualTo(Map.of("type", "equals", "value", "Paris"));
    assertThat(ExpectedText.parse("Note: this", place).plain())
        .isEqualTo(Map.of("type", "equals", "value", "Note: this"));
    assertThat(ExpectedText.parse("not-contains:x", place).plain())
        .isEqualTo(Map.of("type", "not-contains", "value", "x"));
    assertThat(ExpectedText.parse("similar(0.9): a b", place).plain())
        .isEqualTo(Map.of("type", "similar", "value", "a b", "threshold", 0.9));
    assertThat(ExpectedText.parse("similar: a", place).plain())
        .isEqualTo(Map.of("type", "similar", "value", "a", "threshold", 0.8));
    assertThat(ExpectedText.parse("levenshtein: a", place).plain())
        .isEqualTo(Map.of("type", "levenshtein", "value", "a", "threshold", 0.75));
    assertThat(ExpectedText.parse("fn: output.length > 3", place).plain())
        .isEqualTo(Map.of("type", "javascript", "value", "output.length > 3"));
    assertThat(ExpectedText.parse("grade: polite", place).plain())
        .isEqualTo(Map.of("type", "llm-rubric", "value", "polite"));
    assertThat(ExpectedText.parse("is-json", place).plain()).isEqualTo(Map.of("type", "is-json"));
    assertThat(ExpectedText.parse("latency(500)", place).plain())
        .isEqualTo(Map.of("type", "latency", "threshold", 500.0));
  }

  @Test
  void scriptsNeedTheirModule() throws IOException {
    Path file =
        write(
            "promptfooconfig.yaml",
            "providers: {id: echo, transform: output.trim()}\nprompts: [x]");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> PromptfooConfig.read(file, Map.of(), Optional.empty()))
        .withMessageContaining("line 1, column 34")
        .withMessageContaining("weir-scripting");
  }

  @Test
  void anUnknownFilterOrTestIsToldWhereverItStands() throws IOException {
    write("rubric.txt", "Judge:\n{{ output | nofile }}");
    assertThat(
            problems(
                """
                providers: [echo]
                prompts:
                  - 'Say {{x | uper}} now'
                  - '[{"role": "user", "content": "{{ x | default(\\"a | b\\") | inmessage }}"}]'
                defaultTest:
                  options: {prefix: '{{ x | inprefix }}', rubricPrompt: 'file://rubric.txt'}
                tests:
                  - vars: {x: a}
                    assert:
                      - {type: contains, value: '{{ x | invalue }}'}
                      - {type: contains-any, value: [a, '{% if x is intest %}b{% endif %}']}
                      - {type: is-json, value: {properties: {'{{ x | inkey }}': {}}}}
                      - {type: equals, value: a, metric: '{{ x | inmetric }}'}
                      - {type: select-best, value: '{{ x | incriteria }}'}
                """))
        .contains(
            "promptfooconfig.yaml, line 3, column 5: `prompts`: there is no filter 'uper'; did you"
                + " mean 'upper'? (line 1, column 11 of the template)",
            "line 4, column 5: `prompts`: there is no filter 'inmessage'",
            "line 6, column 21: `prefix`: there is no filter 'inprefix'",
            "rubric.txt: `rubricPrompt`: there is no filter 'nofile'",
            "line 10, column 33: `value`: there is no filter 'invalue'",
            "line 11, column 41: `value`: there is no test 'intest'",
            "line 12, column 46: `value`: there is no filter 'inkey'",
            "line 13, column 42: `metric`: there is no filter 'inmetric'",
            "line 14, column 36: `value`: there is no filter 'incriteria'");
  }

  @Test
  void atLeastOneCallIsMadeAtLeastOnce() throws IOException {
    assertThat(
            problems(
                """
                providers: [echo]
                prompts: [x]
                evaluateOptions: {maxConcurrency: 0, repeat: 0, delay: 0, timeoutMs: 0}
                """))
        .isEqualTo(
            "promptfooconfig.yaml, line 3, column 35: `maxConcurrency` must be a whole number >="
                + " 1;\n"
                + "promptfooconfig.yaml, line 3, column 46: `repeat` must be a whole number >= 1");
  }

  @Test
  void whatKindsOfAgreementCountMustBeNumbers() throws IOException {
    assertThat(
            problems(
                """
                providers: [echo]
                prompts: [x]
                defaultTest: {options: {factuality: {subset: many, disagre: 1}}}
                """))
        .contains(
            "line 3, column 46: `subset` must be a number",
            "line 3, column 52: unknown key 'disagre' in `factuality`; did you mean 'disagree'?");
  }
}
