package dev.weir.model.batch;

import dev.weir.model.Adapter;

/** A model that also takes requests in batches. */
public interface BatchAdapter extends Adapter {

  BatchApi batches();
}
