package dev.weir.eval.option;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where one pair ends and the next begins. */
class PairsTest {

  /** What is expected has a semicolon between pairs. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a=1,b=2 | a=1;b=2",
        "a=x,y,b=2 | a=x,y;b=2",
        "accuracy=0.6, group/x=0.5 | accuracy=0.6;group/x=0.5",
        "a=sim/x,b=sim/y | a=sim/x;b=sim/y",
        "grader=sim/demo:latency=300ms,rpm=0 | grader=sim/demo:latency=300ms,rpm=0",
        "grader=sim/g:rpm=0,error-rate=0.1,critic=sim/c:a=1,b=2 |"
            + " grader=sim/g:rpm=0,error-rate=0.1;critic=sim/c:a=1,b=2",
        "a=1,grader=sim/g:x=1,y=2 | a=1;grader=sim/g:x=1,y=2",
        "grader=sim/g:x=1,y=2,c=exec:model.yaml | grader=sim/g:x=1,y=2;c=exec:model.yaml",
        "c=exec:model.yaml,d=1 | c=exec:model.yaml;d=1",
        "base_url=http://127.0.0.1:8080/v1,api=chat | base_url=http://127.0.0.1:8080/v1;api=chat",
        "api=chat,base_url=http://127.0.0.1:8080/v1,x=1 |"
            + " api=chat;base_url=http://127.0.0.1:8080/v1;x=1",
        "file=data/a.csv,n=3 | file=data/a.csv;n=3",
        "n=3,file=data/a.csv,m=4 | n=3;file=data/a.csv;m=4",
        "model=ollama/llama3:8b,n=3 | model=ollama/llama3:8b;n=3",
      })
  void aCommaEndsAPairUnlessItIsOneOfAModelsArguments(String word, String pairs) {
    Map<String, String> expected = new LinkedHashMap<>();
    for (String pair : pairs.split(";", -1)) {
      int equals = pair.indexOf('=');
      expected.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    assertThat(Pairs.parse(word)).contains(expected);
  }

  @Test
  void whatIsNoPairIsNotRead() {
    assertThat(Pairs.parse("a")).isEmpty();
    assertThat(Pairs.parse("{a")).isEmpty();
  }

  @Test
  void twoWordsAddUp() {
    assertThat(Pairs.add("a=1", "b=2")).isEqualTo("a=1,b=2");
    assertThat(Pairs.parse(Pairs.add("g=sim/x:a=1", "b=2")))
        .contains(Map.of("g", "sim/x:a=1", "b", "2"));
    assertThat(Pairs.parse(Pairs.add("{\"a\": \"x,b=1\"}", "c=3")))
        .contains(Map.of("a", "x,b=1", "c", "3"));
    assertThat(Pairs.parse(Pairs.add("a=1", "a=2"))).contains(Map.of("a", "2"));
    assertThat(Pairs.add("a=1", "what")).isEqualTo("what");
  }

  @Test
  void sourcesAreMergedWithArgumentsWhole() {
    assertThat(Pairs.parse(Pairs.merge("grader=sim/a:x=1,y=2", "grader=sim/b,critic=sim/c:z=1")))
        .contains(Map.of("grader", "sim/a:x=1,y=2", "critic", "sim/c:z=1"));
  }
}
