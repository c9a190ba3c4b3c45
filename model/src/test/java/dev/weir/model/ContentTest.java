package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentTest {

  @ParameterizedTest
  @CsvSource({
    "image/png, image/png",
    "image/jpg, image/jpeg",
    "IMAGE/JPG, image/jpeg",
    "image/jpeg;charset=utf-8, image/jpeg",
    "image/webp ; a=b;c=d, image/webp",
  })
  void theTypeOfAnImageIsTheRegisteredOne(String written, String type) {
    Content.Image image = Content.Image.data(written, "aGk=");
    assertThat(image.mediaType()).isEqualTo(type);
    assertThat(image.base64()).isEqualTo("aGk=");
  }
}
