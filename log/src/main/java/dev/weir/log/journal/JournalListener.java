package dev.weir.log.journal;

/** Hears when a journal cannot be written, and when it can again. Called outside all locks. */
public interface JournalListener {

  /** Hears nothing. */
  JournalListener NONE =
      new JournalListener() {
        @Override
        public void paused(String why, long bytesHeld) {}

        @Override
        public void resumed() {}
      };

  /**
   * Nothing can be written; it is tried again and again. Told once, and again when the reason
   * changes.
   *
   * @param why a sentence for people
   * @param bytesHeld what waits in memory
   */
  void paused(String why, long bytesHeld);

  /** All that waited is on disk. */
  void resumed();

  /**
   * It could not be written for so long that it is given up: nothing is tried any more.
   *
   * @param why a sentence for people
   */
  default void abandoned(String why) {}
}
