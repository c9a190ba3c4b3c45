package dev.weir.eval.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.dataset.Sample;
import dev.weir.model.Content;
import dev.weir.model.Message;
import java.util.List;
import org.junit.jupiter.api.Test;

class SampleStateTest {

  private final SampleState state = new SampleState(new Sample("a", "What?", "That"), 1);

  @Test
  void aNewQuestionKeepsTheImagesOfTheOldOne() {
    Content.Image image = Content.Image.data("image/png", "AAAA");
    state.setMessages(
        List.of(
            new Message.User(
                List.of(new Content.Text("What is"), image, new Content.Text("this?"))),
            Message.assistant("Hm.")));
    state.setUserPrompt(state.userPrompt() + " Say it.");
    assertThat(state.messages())
        .containsExactly(
            new Message.User(List.of(new Content.Text("What is\nthis? Say it."), image)),
            Message.assistant("Hm."));
  }

  @Test
  void aConversationWithoutAQuestionGetsOne() {
    state.setMessages(List.of(Message.instructions("Be brief.")));
    state.setUserPrompt("What?");
    assertThat(state.messages())
        .containsExactly(Message.instructions("Be brief."), Message.user("What?"));
  }
}
