// One function, and others by their names.
const judge = (output, context) => ({
  pass: output.includes(context.vars.topic),
  score: 1,
  reason: 'it speaks of ' + context.vars.topic,
});
judge.mentions = (output, context) => output.includes(context.config.word);
module.exports = judge;
