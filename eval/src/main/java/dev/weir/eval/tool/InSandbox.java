package dev.weir.eval.tool;

/** Marks tools of ours that work in the sandbox of the task. */
interface InSandbox {}
