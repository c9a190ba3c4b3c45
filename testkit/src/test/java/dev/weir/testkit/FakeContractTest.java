package dev.weir.testkit;

/** A provider that keeps all promises passes, without lacking anything. */
class FakeContractTest extends FakeContract {

  FakeContractTest() {
    super(Sabotage.NONE);
  }
}
