import assert from 'node:assert/strict';
import type { ContentBlock, ModelProvider, ModelRequest } from '@ravi/kernel';
import { collectAnswer, createScriptedModel, createSeededRandom } from '@ravi/testkit';
import type { ScriptedTurn } from '@ravi/testkit';
import { test } from 'vitest';
import { withTextTools } from '../src/index.ts';
import type { Scanned } from '../src/text-tools/call-block.ts';
import { createCallScanner } from '../src/text-tools/call-scanner.ts';

const question: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Weather?' }] }],
  tools: [
    { type: 'function', name: 'weather', description: 'Tells it.', parameters: { type: 'object', properties: {} } },
  ],
};

async function ask(turn: ScriptedTurn, request = question) {
  const inner = createScriptedModel([turn]);
  return { ...(await collectAnswer(withTextTools(inner), request)), asked: inner.requests[0] };
}

const calls = (blocks: readonly ContentBlock[]): unknown[] =>
  blocks.map((block) => (block.type === 'tool_use' ? [block.name, block.invalid?.reason ?? block.arguments] : block));

test('the system prompt describes the tools, and no native tools are offered', async () => {
  const { asked } = await ask({ text: 'Hm.' });
  assert.match(asked?.system ?? '', /^Be brief\.\n\nYou can call tools.*"weather"/su);
  assert.deepEqual([asked?.tools, asked?.toolChoice], [[], undefined]);
});

test('blocks and marked fences in the text become calls, the prose around them stays', async () => {
  const text = [
    'I look.',
    '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>',
    '```tool_call\n{"name": "weather", "parameters": {"city": "Oslo"}}\n```',
  ].join('\n');
  const { blocks, finish } = await ask({ text });
  assert.deepEqual(calls(blocks), [
    { type: 'text', text: 'I look.\n' },
    ['weather', { city: 'Rome' }],
    ['weather', { city: 'Oslo' }],
  ]);
  assert.equal(finish?.reason, 'tool-use');
});

test('other fences, and text that only begins like a block, stay text', async () => {
  const text = 'Use `<tool_` or\n```json\n{"name": "weather"}\n```\nand 1 < 2 <tool_calls> too.';
  const { blocks, finish } = await ask({ text });
  assert.deepEqual([blocks, finish?.reason], [[{ type: 'text', text }], 'end']);
});

test('a block that is cut off or is not JSON is a call that must not run', async () => {
  const cut = await ask({ text: '<tool_call>{"name": "weather", "arguments": {"city": "Ro', reason: 'length' });
  assert.deepEqual([calls(cut.blocks), cut.finish?.reason], [[['weather', 'truncated']], 'length']);
  const broken = await ask({ text: '<tool_call>{"name": weather}</tool_call>' });
  assert.deepEqual(calls(broken.blocks), [['unknown', 'malformed']]);
});

test('calls and results of the history are sent as text, each result after its call', async () => {
  const messages: ModelRequest['messages'] = [
    ...question.messages,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'weather', arguments: { city: 'Rome' } }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          toolUseId: 'a',
          isError: true,
          content: [{ type: 'text', text: 'no </tool_result> data' }],
        },
      ],
    },
  ];
  const { asked } = await ask({ text: 'Sorry.' }, { ...question, messages });
  const texts = asked?.messages.map(({ role, content }) => [
    role,
    ...content.map((block) => (block.type === 'text' ? block.text : block.type)),
  ]);
  assert.deepEqual(texts?.slice(1), [
    ['assistant', '<tool_call>\n{"name":"weather","arguments":{"city":"Rome"}}\n</tool_call>'],
    ['user', '<tool_result name="weather" status="error">\nno <\\/tool_result> data\n</tool_result>'],
  ]);
});

test('reasoning, usage and errors of the model pass through, and a provider tool is dropped with a warning', async () => {
  const tools = [...question.tools, { type: 'provider', name: 'search', provider: 'x', spec: {} } as const];
  const usage = { inputTokens: 1, outputTokens: 2 };
  const { events, blocks, finish } = await ask({ reasoning: 'Hm.', text: 'Yes.', usage }, { ...question, tools });
  assert.equal(events[0]?.type === 'warning' ? events[0].warning.tool : '', 'search');
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ['reasoning', 'text'],
  );
  assert.deepEqual(finish?.usage, usage);
  const failing = await ask({ text: 'Half', error: { code: 'E_MODEL_OVERLOADED', message: 'busy', retryable: true } });
  assert.deepEqual([failing.error?.code, failing.blocks], ['E_MODEL_OVERLOADED', [{ type: 'text', text: 'Half' }]]);
});

const weather = (city: string): string => JSON.stringify({ name: 'weather', arguments: { city } });

/** Reads a response whole and character by character. */
async function askBothWays(text: string, reason: 'end' | 'length' = 'end') {
  const whole = await ask({ text, reason });
  const pieces: ModelProvider = {
    id: 'pieces',
    async *stream() {
      for (const piece of text) yield await Promise.resolve({ type: 'text-delta', text: piece } as const);
      yield { type: 'finish', reason, usage: { inputTokens: 0, outputTokens: 0 } } as const;
    },
  };
  const { blocks } = await collectAnswer(withTextTools(pieces), question);
  assert.deepEqual(calls(blocks), calls(whole.blocks));
  return calls(whole.blocks);
}

test('a closing mark inside a JSON string does not end the block', async () => {
  for (const city of ['</tool_call>', '\\" </tool_call> {[', '``` ```tool_call\n']) {
    const said = [`<tool_call>${weather(city)}</tool_call>`, `\`\`\`tool_call\n${weather(city)}\n\`\`\``];
    assert.deepEqual(await askBothWays(said.join('\n')), [
      ['weather', { city }],
      ['weather', { city }],
    ]);
  }
});

test('a fence may be closed on the line of its call, and lines may end in CRLF', async () => {
  for (const opening of ['```tool_call\n', '```tool_call\r\n', '```json tool_call\r\n']) {
    for (const closing of ['```', '\n```', '\r\n```']) {
      assert.deepEqual(await askBothWays(`${opening}${weather('Rome')}${closing}Done.`), [
        ['weather', { city: 'Rome' }],
        { type: 'text', text: 'Done.' },
      ]);
    }
  }
});

test('an opening mark in prose is prose, and a call after it is a call', async () => {
  const text = 'I would write <tool_call> but not now. Bye';
  assert.deepEqual(await askBothWays(text), [{ type: 'text', text }]);
  assert.deepEqual(await askBothWays(`${text}: <tool_call>${weather('Oslo')}</tool_call>`), [
    { type: 'text', text: `${text}: ` },
    ['weather', { city: 'Oslo' }],
  ]);
});

test('invalid JSON in a closed block is a call that must not run', async () => {
  assert.deepEqual(await askBothWays('<tool_call>weather(Rome)</tool_call>So.'), [
    ['unknown', 'malformed'],
    { type: 'text', text: 'So.' },
  ]);
  const quote = '<tool_call>{"name": "weather, "arguments": {}}</tool_call>';
  assert.deepEqual(await askBothWays(`${quote}So.`), [['weather, ', 'malformed'], { type: 'text', text: 'So.' }]);
  assert.deepEqual(await askBothWays(`<tool_call>{"name": "weather", "arguments": {"city": "</tool_call>`, 'length'), [
    ['weather', 'truncated'],
  ]);
});

test('text with any marks and brackets reads the same in pieces of any length', () => {
  const random = createSeededRandom(20_261_122);
  const parts = [
    '<tool_call>',
    '</tool_call>',
    '```tool_call\n',
    '```',
    '\r\n',
    weather('Rome'),
    '{"a":',
    '"',
    '}',
    '<',
    ' x',
  ];
  const joined = (pieces: readonly Scanned[]): Scanned[] =>
    pieces.reduce<Scanned[]>((all, piece) => {
      const last = all.at(-1);
      if (last?.type !== 'text' || piece.type !== 'text') return [...all, piece];
      return [...all.slice(0, -1), { type: 'text', text: last.text + piece.text }];
    }, []);
  for (let round = 0; round < 5000; round++) {
    const text = Array.from({ length: 1 + random.below(12) }, () => random.pick(parts)).join('');
    const wasCut = random.below(2) === 0;
    const whole = createCallScanner();
    const expected = joined([...whole.push(text), ...whole.end(wasCut)]);
    const scanner = createCallScanner();
    const found: Scanned[] = [];
    for (let at = 0; at < text.length;) {
      const length = 1 + random.below(6);
      found.push(...scanner.push(text.slice(at, at + length)));
      at += length;
    }
    assert.deepEqual(joined([...found, ...scanner.end(wasCut)]), expected, text);
    if (!text.includes('<tool_call>') && !text.includes('```tool_call')) {
      assert.deepEqual(expected, [{ type: 'text', text }]);
    }
  }
});
