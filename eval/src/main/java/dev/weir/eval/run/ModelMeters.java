package dev.weir.eval.run;

import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.Notice;
import dev.weir.model.ModelName;
import dev.weir.time.Time;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The meters of all models of an evaluation: one for each lane. Thread-safe. */
public final class ModelMeters {

  private final Time time;
  // Guarded by this.
  private final Map<LimitKey, ModelMeter> meters = new LinkedHashMap<>();

  ModelMeters(Time time) {
    this.time = time;
  }

  /** The meter of a model; those behind one lane share it. */
  public synchronized ModelMeter of(ModelName name, Lane lane) {
    return meters.computeIfAbsent(lane.key(), _ -> new ModelMeter(time, name, lane));
  }

  void noted(Notice notice) {
    if (notice.event() instanceof LimitEvent.LimitLearned(var dimension, double perSecond, _)) {
      all().forEach(meter -> meter.learned(notice.scope(), dimension, perSecond));
    }
  }

  /** In the order in which they were opened. */
  public List<ModelProgress> progress() {
    return all().stream().map(ModelMeter::progress).toList();
  }

  private synchronized List<ModelMeter> all() {
    return List.copyOf(meters.values());
  }
}
