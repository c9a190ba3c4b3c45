module.exports = (output, context) => output.text + ':' + output.n + ':' + context.vars.name;
