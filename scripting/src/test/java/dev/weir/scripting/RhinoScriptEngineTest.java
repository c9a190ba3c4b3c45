package dev.weir.scripting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.promptfoo.ScriptEngine;
import dev.weir.eval.promptfoo.ScriptEngine.Form;
import dev.weir.eval.promptfoo.ScriptException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RhinoScriptEngineTest {

  private static final List<String> PARAMETERS = List.of("output", "context");

  private static final Workers WORKERS = new Workers(2, 4, Duration.ofMinutes(1));

  private final ScriptEngine engine = new RhinoScriptEngine(5_000_000, 64L << 20, WORKERS);

  private Optional<String> run(String source, String output) {
    return engine
        .compile("test", source, Form.INLINE, "", PARAMETERS)
        .call(List.of("\"" + output + "\"", "{\"vars\": {\"topic\": \"bananas\", \"n\": 3}}"));
  }

  @Test
  void isFoundByItsInterface() {
    assertThat(ScriptEngine.find()).get().isInstanceOf(RhinoScriptEngine.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "output.includes(context.vars.topic) | true",
        "output.length; | 16",
        "output.length / 4 | 4",
        "output === 'x' ? 1 : 0 | 0",
        "const n = output.length; return n > 3; | true",
        "({pass: true, score: 0.5, reason: `n is ${context.vars.n}`}) |"
            + " {\"pass\":true,\"score\":0.5,\"reason\":\"n is 3\"}",
        "(output, context) => output.split(' ').length | 4",
        "function (o) { return o.toUpperCase(); } | \"I LIKE BANANAS !\"",
        "let n = 0; for (const c of output) { if (c === 'a') n++; } return n; | 3",
        "[...output].filter(c => c === 'a').length ?? 0 | 3",
        "({...context.vars, m: 1}).m | 1",
        "context.vars.none?.length | null",
        "[1, 2].map(n => n * 2).join('-') | \"2-4\"",
      })
  void expressionsBodiesAndFunctionsGiveValues(String source, String expected) {
    assertThat(run(source, "I like bananas !").orElse("null")).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "const x = 1; x === 1 | true",
        "let s = 'a;b'; s === 'a;b'; | true",
        "var n = output.length; ({pass: n > 3, score: 0.5}) | {\"pass\":false,\"score\":0.5}",
        "const a = [1, 2];;[0, ...a].length;; | 3",
        "const f = o => { return o + '!'; }; f(output) | \"x!\"",
        "function f(o) { return o; } f // the last | \"x\"",
        "console.log(1); /* why */ output == 'x' ? 0.25 : 0 | 0.25",
      })
  void statementsWithoutReturnGiveTheirLastExpression(String source, String expected) {
    assertThat(run(source, "x")).contains(expected);
    assertThat(run(source.replaceAll(";(?!b)", ";\n"), "x")).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "const x = 1;",
        "if (output) { true } else { false }",
        "const f = () => { return 1; };",
        "// nothing",
        "",
      })
  void whatCanNeverGiveAValueIsRefusedAtOnce(String source) {
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> engine.compile("test", source, Form.INLINE, "", PARAMETERS))
        .withMessageContaining("returns nothing");
  }

  @Test
  void aModuleExportsOneFunctionOrSeveral() {
    String one = "module.exports = (output, context) => output + context.vars.n;";
    assertThat(module(one, "")).contains("\"a3\"");
    String several = "const k = 2;\nmodule.exports = { twice: o => o + o, k };";
    assertThat(module(several, "twice")).contains("\"aa\"");
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> module(several, "thrice"))
        .withMessageContaining("no function 'thrice'");
  }

  private Optional<String> module(String source, String export) {
    return engine
        .compile("module.js", source, Form.MODULE, export, PARAMETERS)
        .call(List.of("\"a\"", "{\"vars\": {\"n\": 3}}"));
  }

  @Test
  void whatCannotBeReadIsToldWithItsLine() {
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> run("const a = 1;\nconst b = ;\nreturn a;", "x"))
        .withMessageContaining("its line 2");
  }

  @Test
  void noLineIsToldOfOneLineNorOneBeyondTheLast() {
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> run("output ==", "x"))
        .withMessageStartingWith("this JavaScript cannot be read: ");
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> run("throw new Error('no good')", "x"))
        .withMessage("Error: no good");
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> run("const a = 1;\nreturn a ==", "x"))
        .withMessageContaining("its line 2)");
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> run("const a = 1e9;\nreturn 'x'.repeat(a);", "x"))
        .withMessageNotContaining("its line");
  }

  @Test
  void whatItThrowsIsToldWithItsLine() {
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> run("const a = 1;\nthrow new Error('no good');", "x"))
        .withMessageContaining("no good")
        .withMessageContaining("its line 2")
        .matches(thrown -> !thrown.isOverBounds());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "while (true) {} return 1;",
        "while (true) { try { while (true) {} } catch (e) {} finally { continue; } } return 1;",
        "function f() { return f(); } return f();",
        "const s = JSON.stringify; function f(n) { return [1].map(() => f(n + 1)); } return f(0);",
        "let a = []; while (true) a.push(a.length); return a;",
      })
  void aScriptWithoutEndIsEnded(String source) {
    assertThatExceptionOfType(ScriptException.class).isThrownBy(() -> run(source, "x"));
  }

  @Test
  void endlessStepsAreNotTheScriptsOwnFailure() {
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> run("while (true) {} return 1;", "x"))
        .matches(ScriptException::isOverBounds);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "let a = []; while (true) a.push(new Array(1e6)); return 1;",
        "let a = []; while (true) a.push('x'.repeat(1e6) + a.length); return 1;",
        "let a = []; while (true) a.push([...'x'.repeat(1e5)]); return 1;",
        "let a = new Array(1000).fill(1); while (true) a = [...a, ...a]; return 1;",
        "let a = [1]; while (true) a = a.concat(a); return 1;",
        "let a = {}; for (let i = 0; ; i++) a['key' + i] = {i, text: 'text ' + i}; return 1;",
        "let s = 'x'; while (true) { s += s; if (s.indexOf('y') >= 0) return 1; }",
        "let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; return JSON.stringify(a);",
        "let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; return a;",
        "let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; return a.flat(99).length;",
        "let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; return String(a);",
        "let m = new Map(); for (let i = 0; ; i++) m.set(i, [i]); return 1;",
      })
  void memoryIsBounded(String source) {
    assertThatExceptionOfType(ScriptException.class).isThrownBy(() -> runInMemory(source));
  }

  private static void runInMemory(String source) {
    new RhinoScriptEngine(Long.MAX_VALUE, 64L << 20, WORKERS)
        .compile("test", source, Form.INLINE, "", PARAMETERS)
        .call(List.of("\"x\"", "{}"));
  }

  @Test
  void takingTooMuchMemoryIsNotTheScriptsOwnFailure() {
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> runInMemory("let a = []; while (true) a.push([a.length]); return a;"))
        .withMessageContaining("64 MB")
        .matches(ScriptException::isOverBounds);
  }

  @Test
  void whatIsThrownAwayCountsOnceOnly() {
    String source = "let n = 0; for (let i = 0; i < 1e5; i++) n += [i].length; return n;";
    for (int i = 0; i < 10; i++) {
      assertThat(run(source, "x")).contains("100000");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "[1, [2, [3, [4]]]].flat() | [1,2,[3,[4]]]",
        "[1, [2, [3, [4]]]].flat(Infinity) | [1,2,3,4]",
        "JSON.stringify({a: 1, b: [2, {c: null}]}) |"
            + " \"{\\\"a\\\":1,\\\"b\\\":[2,{\\\"c\\\":null}]}\"",
        "JSON.stringify({a: 1, b: 2}, ['b']) | \"{\\\"b\\\":2}\"",
        "JSON.stringify({a: 1}, (k, v) => v === 1 ? 7 : v) | \"{\\\"a\\\":7}\"",
        "JSON.stringify([1], null, 1) | \"[\\n 1\\n]\"",
        "'a-b-a'.replace(/a/g, 'c').replaceAll('c', 'd') | \"d-b-d\"",
        "Array.from({length: 3}, (_, i) => i) | [0,1,2]",
        "[3, 1, 2].sort().reverse().join('') | \"321\"",
        "Math.max.apply(null, [1, 5, 2]) | 5",
        "'a,b'.split(',').concat(['c']).includes('c') | true",
        "console.log('seen', output); console.error(1); return output; | \"x\"",
        "String([1, [2, 3]]) | \"1,2,3\"",
      })
  void theLibraryWorksWithinItsBounds(String source, String expected) {
    assertThat(run(source, "x")).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'x'.repeat(1e9)",
        "Array.from({length: 1e9})",
        "new Uint8Array(2e9)",
        "new Array(1e9).map(x => x)",
        "Math.max.apply(null, {length: 1e9})",
        "'x'.repeat(1e6).replaceAll('x', 'y'.repeat(1e6))",
        "'x'.padEnd(1e9)",
        "new Array(1e9).join('x')",
        "String(new Array(1e9))"
      })
  void oneOperationDoesNotMakeAGiant(String source) {
    assertThatExceptionOfType(ScriptException.class).isThrownBy(() -> run(source, "x"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java.lang.System.exit(1)",
        "Packages.java.io.File",
        "new java.io.File('/')",
        "importClass(java.io.File)",
        "Java.type('java.lang.System')",
        "output.getClass()",
        "''.constructor.constructor('return java')()",
        "(function () {}).constructor('return Packages')()",
        "require('fs')",
        "process.env",
        "load('/etc/passwd')",
        "quit()",
      })
  void nothingOfTheMachineIsWithinReach(String source) {
    assertThatExceptionOfType(ScriptException.class).isThrownBy(() -> run(source, "x"));
  }

  @Test
  void nothingIsKeptFromOneCallToTheNext() {
    assertThat(run("kept = 1; return typeof kept;", "x")).contains("\"number\"");
    assertThat(run("typeof kept", "x")).contains("\"undefined\"");
    for (String spoiling :
        List.of("String.prototype.trim = () => 'broken'", "Object.prototype.evil = 1")) {
      assertThatExceptionOfType(ScriptException.class)
          .isThrownBy(() -> run(spoiling, "x"))
          .withMessageContaining("sealed");
    }
    assertThat(run("' a '.trim()", "x")).contains("\"a\"");
    assertThat(run("({}).evil === undefined", "x")).contains("true");
  }

  /** No step is counted while the number is written out, which takes seconds. */
  @Test
  void aScriptIsGivenUpWithinOneLongOperation() {
    var impatient =
        new RhinoScriptEngine(5_000_000, 64L << 20, new Workers(1, 1, Duration.ofMillis(100)));
    ScriptEngine.Script script =
        impatient.compile(
            "test", "(2n ** 8000000n).toString().length > 5", Form.INLINE, "", PARAMETERS);
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> script.call(List.of("1", "{}")))
        .withMessage("the script was given up: it took more than 0.1 s")
        .matches(ScriptException::isOverBounds);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "Promise.resolve(true) | true",
        "const p = Promise.resolve(2); p.then = Promise = 1; p | 2",
        "Promise.resolve(1).then(n => n + 1).then(n => ({score: n})) | {\"score\":2}",
        "new Promise(keep => keep(Promise.all([output, 'y']))) | [\"x\",\"y\"]",
        "o => Promise.reject(new Error('no')).catch(e => e.message) | \"no\"",
      })
  void aPromiseIsAwaited(String source, String expected) {
    assertThat(run(source, "x")).contains(expected);
  }

  @Test
  void aBrokenPromiseIsAFailureAndOneThatIsNeverKeptIsNone() {
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> run("Promise.reject(new Error('no good'))", "x"))
        .withMessage("Error: no good")
        .matches(thrown -> !thrown.isOverBounds());
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> run("new Promise(() => {})", "x"))
        .withMessageContaining("never kept")
        .matches(ScriptException::isOverBounds);
    assertThatExceptionOfType(ScriptException.class)
        .isThrownBy(() -> run("Promise.resolve(1).then(function f(n) { while (true) n++; })", "x"))
        .matches(ScriptException::isOverBounds);
  }
}
