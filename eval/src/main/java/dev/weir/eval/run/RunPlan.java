package dev.weir.eval.run;

import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.sandbox.SandboxProvider;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.log.SampleResult;
import dev.weir.time.Time;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What a run needs.
 *
 * @param id of the run, in its log and its trace
 * @param taskId of what is evaluated; runs of the same task share it
 * @param options what the settings of the task and the command line mean together
 * @param evaluated the model to evaluate, as the run watches it
 * @param roles models for other parts, by role, likewise
 * @param seed what every random choice depends on
 * @param budget what all runs of an evaluation may use together
 * @param sandboxes where tools run
 * @param isRehearsal whether nothing is done in earnest
 * @param kept samples that were finished in an earlier run
 * @param secrets hides what no log has
 * @param log is told each sample that has ended, on the task that ran it
 */
public record RunPlan(
    String id,
    String taskId,
    TaskDefinition task,
    RunOptions options,
    Function<CallWatch, PricedModel> evaluated,
    Function<CallWatch, Map<String, PricedModel>> roles,
    Time time,
    long seed,
    Budget budget,
    SandboxProvider sandboxes,
    boolean isRehearsal,
    KeptSamples kept,
    Secrets secrets,
    Consumer<SampleResult> log) {}
