package dev.weir.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class SystemTimeTest extends TimeContract {

  @Override
  protected Time time() {
    return Time.system();
  }

  @Override
  protected void run(Action work) throws Exception {
    Task<?> task = time().start("main", work);
    try {
      task.join();
    } catch (TaskFailedException failed) {
      if (failed.getCause() instanceof Error error) {
        throw error;
      }
      throw failed;
    }
  }

  @Test
  void tasksAreVirtualThreadsWithTheirName() throws Exception {
    Task<Thread> task = time().start("sample-7", Thread::currentThread);
    assertThat(task.join().isVirtual()).isTrue();
    assertThat(task.join().getName()).isEqualTo("sample-7");
  }

  @Test
  void anErrorAlsoGoesToTheUncaughtExceptionHandler() throws Exception {
    var failure = new AssertionError("wrong");
    var uncaught = new Completion<Throwable>(time(), "an uncaught failure");
    Task<?> task =
        time()
            .start(
                "worker",
                () -> {
                  Thread.currentThread()
                      .setUncaughtExceptionHandler((thread, thrown) -> uncaught.complete(thrown));
                  throw failure;
                });
    assertThat(uncaught.await()).isSameAs(failure);
    assertThatExceptionOfType(TaskFailedException.class).isThrownBy(task::join).withCause(failure);
  }

  @Test
  void freshSeedsDiffer() {
    assertThat(time().freshSeed()).isNotEqualTo(time().freshSeed());
  }
}
