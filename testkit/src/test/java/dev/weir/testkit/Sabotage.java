package dev.weir.testkit;

/** Ways to break a promise, each with the test that must notice. */
enum Sabotage {
  NONE(""),
  WRONG_TEXT("answersAQuestion"),
  NO_USAGE("tellsTokens"),
  NO_REQUEST_ID("tellsTheExchangeBehindAnAnswer"),
  NO_ID_OF_A_REFUSAL("tellsAWrongCredential"),
  FORGETS_WHAT_WAS_SAID("readsAConversation"),
  LOSES_IMAGES("sendsImages"),
  NEVER_STOPS("stopsAtTheMostTokens"),
  MIXES_UP_ANSWERS("doesNotMixUpAnswers"),
  LOSES_PIECES("givesAnswersInPieces"),
  TELLS_FACTS_LATE("givesAnswersInPieces"),
  TELLS_NO_FACTS("tellsFactsOnce"),
  DISCARDS_THE_LAST_ANSWER("keepsAnAnswerWhenNothingIsLeft"),
  CALLS_WITHOUT_ID("callsATool"),
  LOSES_PIECES_OF_CALLS("givesToolCallsInPieces"),
  CALLS_AGAIN("readsWhatAToolGaveBack"),
  CALLS_IN_SPITE_OF_NONE("callsNoToolIfItMayNot"),
  TALKS_IN_SPITE_OF_REQUIRED("callsSomeToolIfItMust"),
  CALLS_ANOTHER_TOOL("callsTheToolThatItMust"),
  RETRIES_A_WRONG_CREDENTIAL("tellsAWrongCredential"),
  TAKES_A_REFUSAL_FOR_AN_ANSWER("tellsARateLimitWithItsWait"),
  FORGETS_THE_WAIT("tellsARateLimitWithItsWait"),
  GIVES_UP_ON_SERVER_ERRORS("takesServerErrorsForFaultsThatMayPass"),
  GIVES_PIECES_OF_A_REFUSAL("tellsRefusalsInPiecesToo"),
  TAKES_A_PAGE_FOR_AN_ANSWER("tellsWhatCannotBeRead"),
  TAKES_HALF_FOR_AN_ANSWER("tellsAnAnswerThatBreaksOff"),
  READS_WITHOUT_END("doesNotReadWithoutEnd"),
  THROWS("tellsWhatCannotBeRead"),
  SWALLOWS_INTERRUPTS("endsAtOnceWhenInterrupted"),
  IGNORES_INTERRUPTS("endsAtOnceWhenInterrupted"),
  SHOWS_THE_CREDENTIAL("neverShowsTheCredential"),
  NEEDS_NO_CREDENTIAL("namesTheMissingCredential"),
  HAS_ONE_ACCOUNT("tellsAccountsApart"),
  ACCOUNT_IS_THE_CREDENTIAL("tellsAccountsApart"),
  TAKES_ANY_ARGUMENT("knowsItsArguments"),
  HELPS_IN_TWO_LINES("helps"),
  CLAIMS_TO_LACK_TOOLS("lacksWhatItSaysItLacks"),
  GIVES_NO_REASON("lacksWhatItSaysItLacks");

  private final String test;

  Sabotage(String test) {
    this.test = test;
  }

  /** The test that must fail. */
  String test() {
    return test;
  }
}
