import assert from 'node:assert/strict';
import type { ContentBlock, JsonObject, MediaBlock, ProviderSpec, ToolChoice, ToolSpec } from '@ravi/kernel';
import { wireJson } from '@ravi/provider-kit';
import { ask, image, model, result, text, tool, use, user } from '@ravi/provider-testing';
import { test } from 'vitest';
import { encodeGemini } from '../src/index.ts';
import { encoded, sourceFor } from './encoding.ts';
import { settingsFor } from './settings.ts';

const native = (name: string, spec: JsonObject, callTypes?: readonly string[]): ProviderSpec => ({
  type: 'provider',
  name,
  provider: 'google/generate-content',
  spec,
  ...(callTypes === undefined ? {} : { callTypes }),
});
const search = native('search', { googleSearch: {} });

function responsesIn(parts: readonly JsonObject[] | undefined): JsonObject[] {
  return (parts ?? []).flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [functionResponse as JsonObject],
  );
}

test('all results are in one content, one per call and in order: eino-ext#571, crewAI#4693, docker-agent#2959, gemini-cli#16135', () => {
  const messages = [
    user(text('x')),
    model(use('a'), use('b'), use('c')),
    user(result('c', text('3')), text('Continue.')),
  ];
  const { contents } = encoded(ask(messages));
  assert.deepEqual(
    contents.map(({ role }) => role),
    ['user', 'model', 'user', 'user'],
  );
  const responses = responsesIn(contents[2]?.parts);
  assert.deepEqual(
    responses.map(({ id }) => id),
    ['a', 'b', 'c'],
  );
  assert.equal(contents[2]?.parts.length, 3);
  assert.match(JSON.stringify(responses[0]), /"error":"There is no result/u);
  assert.deepEqual(responses[2]?.['response'], { output: '3' });
});

test('a result is an object: failures are marked, data stay data: claude-code#2959', () => {
  const failed: ContentBlock = { ...result('a', text('No such file')), isError: true };
  const list: ContentBlock = { type: 'data', data: [1, 2] };
  const object: ContentBlock = { type: 'data', data: { rows: 2 } };
  const messages = [
    user(text('x')),
    model(use('a'), use('b'), use('c'), use('d')),
    user(failed, result('b', list), result('c', object), result('d')),
  ];
  const { contents } = encoded(ask(messages));
  assert.deepEqual(
    responsesIn(contents[2]?.parts).map(({ response }) => response),
    [{ error: 'No such file' }, { output: [1, 2] }, { output: { rows: 2 } }, { output: '' }],
  );
});

test('a result with $ref is sent as text, because it would be read as a media reference: hermes-agent#93014', () => {
  const schema: ContentBlock = { type: 'data', data: { items: [{ $ref: '#/$defs/a' }] } };
  const { contents } = encoded(ask([user(text('x')), model(use('a')), user(result('a', schema))]));
  assert.deepEqual(responsesIn(contents[2]?.parts)[0]?.['response'], { output: '{"items":[{"$ref":"#/$defs/a"}]}' });
});

test('truncated arguments are never sent back: codegraff#752, oh-my-pi#11104', () => {
  const invalid = { reason: 'truncated', text: '{"path": "/tm' } as const;
  const { body, contents } = encoded(ask([user(text('x')), model(use('a', { invalid }))]));
  assert.doesNotMatch(JSON.stringify(body), /\/tm/u);
  assert.match(JSON.stringify(contents[2]), /truncated/u);
});

test('signatures are sent back in place to their own model; for other histories the first call has a placeholder', () => {
  const source = sourceFor('gemini-3-pro');
  const own = { source, data: { thoughtSignature: 'c2ln' } };
  const messages = [user(text('x')), model(use('a', { opaque: own }), use('b'))];
  const signaturesIn = (name: string): unknown[] =>
    (encoded(ask(messages), name).contents[1]?.parts ?? []).map(({ thoughtSignature }) => thoughtSignature);
  assert.deepEqual(signaturesIn('gemini-3-pro'), ['c2ln', undefined]);
  assert.deepEqual(signaturesIn('gemini-3-flash'), ['skip_thought_signature_validator', undefined]);
  assert.deepEqual(signaturesIn('gemini-2.5-flash'), [undefined, undefined]);
});

test('thoughts are sent back only to their model, and blocks of other providers are dropped in pairs', () => {
  const source = sourceFor('gemini-3-pro');
  const thought = (from: string): ContentBlock => ({
    type: 'reasoning',
    text: 'Hm.',
    opaque: { source: from, data: { thought: true } },
  });
  const hosted = (from: string, raw: JsonObject): ContentBlock => ({ type: 'unknown', raw, source: from });
  const foreign = 'anthropic/messages/m';
  const { contents, warnings } = encoded(
    ask([
      user(text('x')),
      model(
        thought(foreign),
        thought(source),
        hosted(foreign, { type: 'server_tool_use' }),
        hosted(foreign, { type: 'web_search_tool_result' }),
        hosted(source, { executableCode: { code: '1' } }),
        hosted(source, { codeExecutionResult: { output: '1' } }),
        { type: 'unknown', raw: { groundingMetadata: {} } },
        text('Yes.'),
      ),
    ]),
  );
  assert.deepEqual(
    warnings.map(({ code, message }) => [code, message.slice(0, 2)]),
    [['block-dropped', '2 ']],
  );
  assert.deepEqual(contents[1]?.parts, [
    { text: 'Hm.', thought: true },
    { executableCode: { code: '1' } },
    { codeExecutionResult: { output: '1' } },
    { text: 'Yes.' },
  ]);
});

test('ids of any provider become valid and stay distinct, also repeated ones: eca#233, vercel/ai#16183', () => {
  const messages = [
    user(text('x')),
    model(use('x'.repeat(80)), use('a b'), use('a b')),
    user(result('a b', text('1'))),
  ];
  const { contents } = encoded(ask(messages));
  const ids = responsesIn(contents[2]?.parts).map(({ id }) => id as string);
  assert.equal(new Set(ids).size, 3);
  for (const id of ids) assert.match(id, /^[a-zA-Z0-9_-]{1,64}$/u);
  const calls = contents[1]?.parts.map(({ functionCall }) => (functionCall as JsonObject)['id']);
  assert.deepEqual(calls, ids);
});

test('names are valid and reversible, and of two that collide the second is dropped with both names: awslabs/mcp#2214, copilot-cli#1879, apollo#28', () => {
  const long = `mcp__${'server'.repeat(12)}__search`;
  const request = ask([], { tools: [tool('a/b'), tool(long), tool('1st'), tool('dotted.name'), tool('a_b')] });
  const { functions, warnings } = encoded(request);
  const names = functions.map(({ name }) => name as string);
  assert.deepEqual(names.slice(1), ['_1st', 'dotted.name', 'a_b']);
  assert.match(names[0] ?? '', /^mcp__.{59}$/u);
  assert.match(warnings[0]?.message ?? '', /a\/b.*a_b/u);
  const { context } = encodeGemini(request, settingsFor('gemini-3-pro'));
  assert.deepEqual(
    names.map((name) => context.nameOf(name)),
    [long, '1st', 'dotted.name', 'a_b'],
  );
});

test('one bad tool is dropped alone: claude-code#19882', () => {
  const { functions, warnings } = encoded(ask([], { tools: [tool('bad', { type: 'string' }), tool('good')] }));
  assert.deepEqual(
    functions.map(({ name }) => name),
    ['good'],
  );
  assert.deepEqual(
    warnings.map(({ code, tool: name }) => [code, name]),
    [['tool-dropped', 'bad']],
  );
});

test('half a character is never sent: claude-code#56064, claude-code#60394, elizaOS#18079', () => {
  const { body } = encoded(ask([user(text(`cut ${'😀'.slice(0, 1)}`))]));
  assert.doesNotMatch(wireJson(body), /\\ud83d/u);
});

test('media stay in a result if the model accepts them, and follow all results otherwise', () => {
  const messages = [
    user(text('x')),
    model(use('a'), use('b')),
    user(result('a', text('1'), image), result('b', text('2'))),
  ];
  const newest = encoded(ask(messages));
  assert.deepEqual(responsesIn(newest.contents[2]?.parts)[0]?.['parts'], [
    { inlineData: { mimeType: 'image/png', data: 'AQID' } },
  ]);
  assert.deepEqual(newest.warnings, []);

  const { contents, warnings } = encoded(ask(messages), 'gemini-2.5-flash');
  assert.deepEqual(
    contents.map(({ role, parts }) => [role, parts.length]),
    [
      ['user', 1],
      ['model', 2],
      ['user', 2],
      ['user', 2],
    ],
  );
  assert.deepEqual(contents[3]?.parts[1], { inlineData: { mimeType: 'image/png', data: 'AQID' } });
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['media-replaced'],
  );
});

test('file URLs are sent as such, except within a result, and unsupported media are described', () => {
  const video: MediaBlock = { type: 'document', mediaType: 'video/mp4', source: { kind: 'url', url: 'gs://b/v.mp4' } };
  const picture: MediaBlock = { ...image, source: { kind: 'url', url: 'https://a.example/p.png' } };
  const archive: MediaBlock = {
    type: 'document',
    mediaType: 'application/zip',
    source: { kind: 'bytes', bytes: Uint8Array.of(1) },
  };
  const { contents, warnings } = encoded(
    ask([user(video, archive), model(use('a')), user(result('a', picture, archive))]),
  );
  assert.deepEqual(contents[0]?.parts[0], { fileData: { mimeType: 'video/mp4', fileUri: 'gs://b/v.mp4' } });
  assert.match(JSON.stringify(contents[0]?.parts[1]), /application\/zip, 1 bytes: cannot be shown/u);
  assert.match(JSON.stringify(responsesIn(contents[2]?.parts)[0]), /cannot be shown.*Shown after the results: 1/u);
  assert.deepEqual(contents[3]?.parts[1], { fileData: { mimeType: 'image/png', fileUri: 'https://a.example/p.png' } });
  assert.equal(warnings.length, 3);
});

test('a data: URL is sent as bytes, and one without data is described', () => {
  const note = (url: string): MediaBlock => ({
    type: 'document',
    mediaType: 'text/plain',
    source: { kind: 'url', url },
  });
  const { contents, warnings } = encoded(ask([user(note('data:text/plain,hello'), note('data:text/plain'))]));
  assert.deepEqual(contents[0]?.parts[0], { inlineData: { mimeType: 'text/plain', data: 'aGVsbG8=' } });
  assert.match(JSON.stringify(contents[0]?.parts[1]), /cannot be shown/u);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['media-replaced'],
  );
});

test('hosted tools are sent as their specs, together with functions if the model supports both, and their calls are requested', () => {
  const foreign: ProviderSpec = { ...search, name: 'foreign', provider: 'openai' };
  const request = ask([], { tools: [tool('go'), search, native('code', { codeExecution: {} }), foreign] });
  const { tools, warnings, body } = encoded(request);
  assert.deepEqual(tools.slice(1), [{ googleSearch: {} }, { codeExecution: {} }]);
  assert.deepEqual(body['toolConfig'], {
    functionCallingConfig: { mode: 'VALIDATED' },
    includeServerSideToolInvocations: true,
  });
  assert.deepEqual(
    warnings.map(({ tool: name }) => name),
    ['foreign'],
  );
});

test('a model that does not support hosted tools with functions gets the functions; without functions it gets all tools', () => {
  const both = ask([], { tools: [tool('go'), search] });
  const { tools, warnings, body } = encoded(both, 'gemini-2.5-flash');
  assert.equal(tools.length, 1);
  assert.equal(body['toolConfig'], undefined);
  assert.deepEqual(
    warnings.map(({ code, tool: name }) => [code, name]),
    [['tool-dropped', 'search']],
  );
  const vertex = encoded(both, 'gemini-3-pro', { isVertex: true });
  assert.deepEqual(vertex.tools[1], { googleSearch: {} });
  assert.deepEqual([vertex.body['toolConfig'], vertex.warnings], [undefined, []]);
  const alone = encoded(ask([], { tools: [search, native('url', { urlContext: {} })] }), 'gemini-2.5-flash');
  assert.deepEqual(alone.tools, [{ googleSearch: {} }, { urlContext: {} }]);
});

test('a provider-defined call is sent back with its own name, and its result in its own shape', () => {
  const browser = native('browser', { computerUse: { environment: 'ENVIRONMENT_BROWSER' } }, ['click_at']);
  const call = use('a', { name: 'browser', callType: 'click_at', arguments: { x: 1 } });
  const answer: ContentBlock = { type: 'data', data: { url: 'https://a.example' } };
  const request = ask([user(text('x')), model(call), user(result('a', answer, image))], {
    tools: [browser, tool('go')],
  });
  const { contents } = encoded(request, 'gemini-2.5-computer-use');
  assert.match(JSON.stringify(contents[1]), /"name":"click_at"/u);
  const [response] = responsesIn(encoded(request).contents[2]?.parts);
  assert.deepEqual([response?.['name'], response?.['response']], ['click_at', { url: 'https://a.example' }]);
  const { context } = encodeGemini(request, settingsFor('gemini-3-pro'));
  assert.deepEqual([context.toolOfCallType('click_at'), context.nameOf('click_at')], ['browser', 'browser']);
  assert.equal(context.toolOfCallType('go'), undefined);
});

test('calls of configured MCP servers are hosted, unless a function has their name', () => {
  const servers = native('servers', { mcpServers: [{ name: 's' }] });
  const { context } = encodeGemini(ask([], { tools: [servers, tool('mine')] }), settingsFor('gemini-3-pro'));
  assert.deepEqual([context.isHosted('s_look'), context.isHosted('mine')], [true, false]);
  const without = encodeGemini(ask([], { tools: [tool('mine')] }), settingsFor('gemini-3-pro'));
  assert.equal(without.context.isHosted('s_look'), false);
});

test('the choice of tools: free, none, any, or some by name', () => {
  const configOf = (toolChoice: ToolChoice, ...more: ToolSpec[]): unknown => {
    const { body } = encoded(ask([], { tools: [tool('a'), tool('b/c'), ...more], toolChoice }));
    return (body['toolConfig'] as JsonObject | undefined)?.['functionCallingConfig'];
  };
  assert.deepEqual(configOf('auto'), { mode: 'AUTO' });
  assert.deepEqual(configOf('auto', search), { mode: 'VALIDATED' });
  assert.deepEqual(configOf('none'), { mode: 'NONE' });
  assert.deepEqual(configOf('required'), { mode: 'ANY' });
  assert.deepEqual(configOf({ oneOf: ['b/c', 'a'] }), { mode: 'ANY', allowedFunctionNames: ['a', 'b_c'] });
  assert.equal(configOf({ oneOf: ['a', 'search'] }, search), undefined);
});

test('calls must match their schemas if a tool asks for it, or always', () => {
  const modeOf = (strict: 'auto' | 'always' | 'never', asked: boolean): unknown =>
    (
      encoded(ask([], { tools: [tool('a', undefined, asked ? { strict: true } : {})] }), 'gemini-3-pro', { strict })
        .body['toolConfig'] as { readonly functionCallingConfig?: { readonly mode?: string } } | undefined
    )?.functionCallingConfig?.mode;
  assert.deepEqual([modeOf('auto', true), modeOf('auto', false)], ['VALIDATED', undefined]);
  assert.deepEqual([modeOf('always', false), modeOf('never', true)], ['VALIDATED', undefined]);
});

test('a tool that only scripts may call is not offered, because Google runs no scripts', () => {
  const { functions, warnings } = encoded(
    ask([], { tools: [tool('a', undefined, { allowedCallers: ['chain'] }), tool('b')] }),
  );
  assert.deepEqual(
    functions.map(({ name }) => name),
    ['b'],
  );
  assert.equal(warnings[0]?.code, 'tool-dropped');
});

test('thinking is sent in the unit of the model, or not at all', () => {
  const thinking = (name: string, effort: 'none' | 'low' | 'max', more = {}): unknown =>
    (encoded(ask([], { reasoning: { effort, ...more } }), name).body['generationConfig'] as JsonObject | undefined)?.[
      'thinkingConfig'
    ];
  assert.deepEqual(thinking('gemini-2.5-flash', 'none'), { thinkingBudget: 0 });
  assert.deepEqual(thinking('gemini-2.5-pro', 'none'), { thinkingBudget: 128 });
  assert.deepEqual(thinking('gemini-3-flash', 'max'), { thinkingLevel: 'HIGH' });
  assert.deepEqual(thinking('gemini-3-pro', 'none', { summary: true }), {
    includeThoughts: true,
    thinkingLevel: 'LOW',
  });
  assert.deepEqual(thinking('gemini-3-pro', 'low', { budgetTokens: 99 }), { thinkingBudget: 99 });
  const { body, warnings } = encoded(ask([], { reasoning: { effort: 'low' } }), 'gemini-2.0-flash');
  assert.equal(body['generationConfig'], undefined);
  assert.equal(warnings[0]?.code, 'option-ignored');
});

test('a conversation that begins with the model gets a user message first', () => {
  const { contents } = encoded(ask([model(use('a')), user(result('a', text('1')))]));
  assert.deepEqual(
    contents.map(({ role, parts }) => [role, Object.keys(parts[0] ?? {})[0]]),
    [
      ['user', 'text'],
      ['model', 'functionCall'],
      ['user', 'functionResponse'],
    ],
  );
});

test('an output schema is sent as such, or in the prompt together with tools of an older model', () => {
  const output = { schema: { type: 'object', properties: { a: { type: ['string', 'null'] } } } };
  const plain = encoded(ask([], { output }), 'gemini-2.5-flash').body;
  assert.deepEqual(plain['generationConfig'], {
    responseMimeType: 'application/json',
    responseJsonSchema: { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
  });
  const older = encoded(ask([], { output, system: 'Be brief.', tools: [tool('go')] }), 'gemini-2.5-flash').body;
  assert.equal(older['generationConfig'], undefined);
  assert.match(JSON.stringify(older['systemInstruction']), /Be brief\..*JSON Schema/u);
});

test('output may be a list, and a schema of anything else but an object is part of the prompt, with a warning', () => {
  const A = { type: 'string' };
  const list = { $ref: '#/$defs/L', $defs: { L: { type: 'array', items: { $ref: '#/$defs/A' } }, A } };
  const { body, warnings } = encoded(ask([], { output: { schema: list } }));
  assert.deepEqual(body['generationConfig'], {
    responseMimeType: 'application/json',
    responseJsonSchema: { type: 'array', items: { $ref: '#/$defs/A' }, $defs: { A } },
  });
  assert.deepEqual(warnings, []);
  const plain = encoded(ask([], { output: { schema: { type: 'string' } } }));
  assert.equal(plain.body['generationConfig'], undefined);
  assert.match(JSON.stringify(plain.body['systemInstruction']), /one JSON value that fits/u);
  assert.equal(plain.warnings[0]?.code, 'option-ignored');
});

test('only fields that are set are sent, and provider options override them within objects too: obot nanobot#329', () => {
  assert.deepEqual(encoded(ask([user(text('x'))])).body, { contents: [{ role: 'user', parts: [{ text: 'x' }] }] });
  const own = {
    generationConfig: { topK: 2, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    cachedContent: 'cachedContents/a',
  };
  const { body } = encoded(ask([], { sampling: { topK: 1, seed: 7 }, providerOptions: { google: own } }));
  assert.deepEqual(body, {
    contents: [],
    generationConfig: { topK: 2, seed: 7, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    cachedContent: 'cachedContents/a',
  });
});
