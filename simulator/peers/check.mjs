// Official clients against a running simulator: node check.mjs http://127.0.0.1:8080
//
// Prints a line for each check, and ends with 1 if one failed.
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { APIError as OpenAIError } from 'openai';

const address = process.argv[2];
if (!address) {
  console.error('usage: node check.mjs ADDRESS, for example http://127.0.0.1:8080');
  process.exit(2);
}

// No retries: an error must be seen as it came.
const openai = new OpenAI({ apiKey: 'any', baseURL: `${address}/v1`, maxRetries: 0 });
const azure = new OpenAI({ apiKey: 'any', baseURL: `${address}/openai/v1`, maxRetries: 0 });
const anthropic = new Anthropic({ apiKey: 'any', baseURL: address, maxRetries: 0 });

const model = 'simulated';
const max_tokens = 200;
const parameters = {
  type: 'object',
  properties: { a: { type: 'integer' }, b: { type: 'integer' } },
  required: ['a', 'b'],
  additionalProperties: false,
};
const chatTools = [{ type: 'function', function: { name: 'add', parameters } }];
const responseTools = [{ type: 'function', name: 'add', parameters, strict: true }];
const messageTools = [{ name: 'add', input_schema: parameters }];
const ask = 'Please [[tool: add {"a": 19, "b": 23}]]';
const user = (content) => [{ role: 'user', content }];
const add = ({ a, b }) => `The sum is ${a + b}`;

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 7 } },
  required: ['city', 'people'],
  additionalProperties: false,
};
function assertCity(text) {
  const city = JSON.parse(text);
  assert.equal(typeof city.city, 'string');
  assert.equal(city.people, 7);
}

const checks = {
  async 'openai chat'() {
    const answer = await openai.chat.completions.create({ model, messages: user('[[echo: hello there]]') });
    assert.equal(answer.choices[0].message.content, 'hello there');
    assert.equal(answer.choices[0].finish_reason, 'stop');
    assert.equal(answer.usage.completion_tokens, 3);
    assert.match(answer._request_id, /^req_/);
  },

  async 'openai chat, stream'() {
    const stream = openai.chat.completions.stream({
      model,
      messages: user('[[echo: one two three]]'),
      stream_options: { include_usage: true },
    });
    let text = '';
    stream.on('content', (delta) => (text += delta));
    const answer = await stream.finalChatCompletion();
    assert.equal(text, 'one two three');
    assert.equal(answer.choices[0].message.content, 'one two three');
    assert.equal(answer.usage.completion_tokens, 4);
  },

  async 'openai chat, tools there and back'() {
    const messages = user(ask);
    const first = await openai.chat.completions.create({ model, messages, tools: chatTools });
    assert.equal(first.choices[0].finish_reason, 'tool_calls');
    messages.push(first.choices[0].message);
    for (const call of first.choices[0].message.tool_calls) {
      const content = add(JSON.parse(call.function.arguments));
      messages.push({ role: 'tool', tool_call_id: call.id, content });
    }
    const second = await openai.chat.completions.create({ model, messages, tools: chatTools });
    assert.match(second.choices[0].message.content, /The sum is 42/);
  },

  async 'openai chat, tools in a stream'() {
    const stream = openai.chat.completions.stream({
      model,
      messages: user(`${ask} and [[tool: add {"a": 1, "b": 2}]]`),
      tools: chatTools,
    });
    const calls = (await stream.finalChatCompletion()).choices[0].message.tool_calls;
    assert.deepEqual(calls.map((call) => add(JSON.parse(call.function.arguments))), ['The sum is 42', 'The sum is 3']);
  },

  async 'openai chat, its own loop of tools'() {
    const runner = openai.chat.completions.runTools({
      model,
      messages: user(ask),
      tools: [{ type: 'function', function: { name: 'add', parameters, parse: JSON.parse, function: add } }],
    });
    assert.match(await runner.finalContent(), /The sum is 42/);
  },

  async 'openai chat, json_schema'() {
    const answer = await openai.chat.completions.create({
      model,
      messages: user('a city'),
      response_format: { type: 'json_schema', json_schema: { name: 'city', schema, strict: true } },
    });
    assertCity(answer.choices[0].message.content);
  },

  async 'openai responses'() {
    const answer = await openai.responses.create({ model, instructions: 'be short', input: '[[echo: hello there]]' });
    assert.equal(answer.output_text, 'hello there');
    assert.equal(answer.status, 'completed');
    assert.equal(answer.usage.output_tokens, 3);
  },

  async 'openai responses, stream'() {
    const stream = openai.responses.stream({ model, input: '[[echo: one two three]]', reasoning: { effort: 'low', summary: 'auto' } });
    let text = '';
    stream.on('response.output_text.delta', (event) => (text += event.delta));
    const answer = await stream.finalResponse();
    assert.equal(text, 'one two three');
    assert.equal(answer.output_text, 'one two three');
    assert.equal(answer.output[0].type, 'reasoning');
  },

  async 'openai responses, tools there and back'() {
    const input = user(ask);
    const first = await openai.responses.create({ model, input, tools: responseTools });
    input.push(...first.output);
    for (const call of first.output.filter((item) => item.type === 'function_call')) {
      input.push({ type: 'function_call_output', call_id: call.call_id, output: add(JSON.parse(call.arguments)) });
    }
    const second = await openai.responses.create({ model, input, tools: responseTools });
    assert.match(second.output_text, /The sum is 42/);
  },

  async 'openai responses, tools in a stream'() {
    const answer = await openai.responses.stream({ model, input: ask, tools: responseTools }).finalResponse();
    assert.equal(add(JSON.parse(answer.output[0].arguments)), 'The sum is 42');
  },

  async 'openai responses, json_schema'() {
    const answer = await openai.responses.create({
      model,
      input: 'a city',
      text: { format: { type: 'json_schema', name: 'city', schema, strict: true } },
    });
    assertCity(answer.output_text);
  },

  async 'openai errors'() {
    await assert.rejects(
      openai.chat.completions.create({
        model,
        messages: user('[[status: 429 {"error": {"message": "slow", "type": "requests", "code": "rate_limit_exceeded"}}]] [[header: retry-after: 2]]'),
      }),
      (error) =>
        error instanceof OpenAI.RateLimitError && error.code === 'rate_limit_exceeded' && error.headers.get('retry-after') === '2',
    );
    await assert.rejects(async () => {
      const stream = await openai.chat.completions.create({
        model,
        messages: user('[[stream-error: server_is_overloaded]] [[echo: one two three]]'),
        stream: true,
      });
      for await (const chunk of stream) assert.ok(chunk.id);
    }, OpenAIError);
  },

  async 'openai models'() {
    const models = await openai.models.list();
    assert.equal(models.data[0].object, 'model');
  },

  async 'openai chat and responses as Azure serves them'() {
    const chat = await azure.chat.completions.create({ model, messages: user('[[echo: yes]]') });
    assert.equal(chat.choices[0].message.content, 'yes');
    assert.equal((await azure.responses.create({ model, input: '[[echo: yes]]' })).output_text, 'yes');
  },

  async 'anthropic messages'() {
    const answer = await anthropic.messages.create({ model, max_tokens, messages: user('[[echo: hello there]]') });
    assert.deepEqual(answer.content[0], { type: 'text', text: 'hello there' });
    assert.equal(answer.stop_reason, 'end_turn');
    assert.equal(answer.usage.output_tokens, 3);
    assert.match(answer._request_id, /^req_/);
  },

  async 'anthropic messages, stream'() {
    const stream = anthropic.messages.stream({ model, max_tokens, messages: user('[[echo: one two three]]') });
    let text = '';
    stream.on('text', (delta) => (text += delta));
    const answer = await stream.finalMessage();
    assert.equal(text, 'one two three');
    assert.equal(answer.usage.output_tokens, 4);
  },

  async 'anthropic messages, thinking in a stream'() {
    const answer = await anthropic.messages
      .stream({
        model,
        max_tokens: 4000,
        thinking: { type: 'enabled', budget_tokens: 2000 },
        messages: user('[[reasoning: let me see]] [[echo: yes]]'),
      })
      .finalMessage();
    assert.equal(answer.content[0].thinking, 'let me see');
    assert.ok(answer.content[0].signature);
    assert.equal(answer.content[1].text, 'yes');
  },

  async 'anthropic messages, tools there and back'() {
    const messages = user(ask);
    const first = await anthropic.messages.create({ model, max_tokens, messages, tools: messageTools });
    assert.equal(first.stop_reason, 'tool_use');
    messages.push({ role: 'assistant', content: first.content });
    const results = first.content
      .filter((block) => block.type === 'tool_use')
      .map((block) => ({ type: 'tool_result', tool_use_id: block.id, content: add(block.input) }));
    messages.push({ role: 'user', content: results });
    const second = await anthropic.messages.create({ model, max_tokens, messages, tools: messageTools });
    assert.match(second.content[0].text, /The sum is 42/);
  },

  async 'anthropic messages, tools in a stream'() {
    const answer = await anthropic.messages
      .stream({ model, max_tokens, messages: user(ask), tools: messageTools, tool_choice: { type: 'any' } })
      .finalMessage();
    assert.equal(add(answer.content[0].input), 'The sum is 42');
  },

  async 'anthropic messages, json_schema'() {
    const answer = await anthropic.messages.create({
      model,
      max_tokens,
      messages: user('a city'),
      output_config: { format: { type: 'json_schema', schema } },
    });
    assertCity(answer.content[0].text);
  },

  async 'anthropic errors'() {
    await assert.rejects(
      anthropic.messages.create({ model, max_tokens, messages: user('[[status: 529]]') }),
      (error) => error instanceof Anthropic.APIError && error.status === 529 && error.type === 'overloaded_error',
    );
    await assert.rejects(
      anthropic.messages
        .stream({ model, max_tokens, messages: user('[[stream-error: overloaded_error]] [[echo: one two three]]') })
        .finalMessage(),
      /overloaded_error/,
    );
  },

  async 'anthropic models'() {
    const models = await anthropic.models.list();
    assert.equal(models.data[0].type, 'model');
  },
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error.stack ?? error}`);
  }
}
console.log(`${Object.keys(checks).length - failed} of ${Object.keys(checks).length} checks passed`);
process.exit(failed === 0 ? 0 : 1);
