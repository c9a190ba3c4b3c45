package dev.weir.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MultipartTest {

  private static final String TYPE = "multipart/form-data; boundary=xyz";

  private static Multipart read(String type, String body) {
    return Multipart.read(type, body.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void readsFieldsAndFiles() {
    Multipart form =
        read(
            "multipart/form-data; charset=utf-8; boundary=\"x y\"",
            """
            --x y\r
            Content-Disposition: form-data; name="purpose"\r
            \r
            batch\r
            --x y\r
            Content-Disposition: form-data; name="file"; filename="a.jsonl"\r
            Content-Type: application/jsonl\r
            \r
            line 1
            --x
            line 3 ü
            \r
            --x y--\r
            """);
    assertThat(form.part("purpose").orElseThrow().text()).isEqualTo("batch");
    assertThat(form.part("file").orElseThrow().fileName()).isEqualTo("a.jsonl");
    assertThat(form.part("file").orElseThrow().text()).isEqualTo("line 1\n--x\nline 3 ü\n");
    assertThat(form.part("other")).isEmpty();
  }

  @Test
  void aPartMayBeEmpty() {
    Multipart form =
        read(TYPE, "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--xyz--");
    assertThat(form.part("a").orElseThrow().text()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no form",
        "--xyz",
        "--xyz--extra--xyz",
        "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nno end",
        "--xyz\r\nContent-Disposition: form-data\r\n\r\nno name\r\n--xyz--",
        "--xyz\r\nno headers\r\n--xyz--",
        "--xyz--xyz--"
      })
  void anythingElseIsABadCall(String body) {
    assertThatExceptionOfType(BadCallException.class).isThrownBy(() -> read(TYPE, body));
  }

  @Test
  void theBoundaryMustBeTold() {
    assertThatExceptionOfType(BadCallException.class)
        .isThrownBy(() -> read("application/json", "{}"));
    assertThatExceptionOfType(BadCallException.class)
        .isThrownBy(() -> read("multipart/form-data", "--x--"));
  }
}
