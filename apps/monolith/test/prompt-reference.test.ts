import assert from 'node:assert/strict';
import { joinMessages } from '@ravi/agents';
import { textBlock } from '@ravi/kernel';
import type { CompleteStateStore, ModelMessage } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { expect, test } from 'vitest';
import { createPromptWriter } from '../src/runs/prompt-reference.ts';
import type { PromptWriter } from '../src/runs/prompt-reference.ts';
import { readExchanges } from '../src/runs/stored-exchanges.ts';

const run = { id: 'run-1', principal: 'ada', sessionId: 'session-1' };

function message(text: string, role: ModelMessage['role'] = 'user'): ModelMessage {
  return { role, content: [textBlock(text)] };
}

async function createWorld() {
  const store = await createSqliteStateStore({ file: ':memory:' });
  const conversation: ModelMessage[] = [];
  let length = 0;
  return {
    store,
    conversation,
    async say(added: ModelMessage) {
      joinMessages(conversation, added);
      const { principal, sessionId } = run;
      await store.history.append([{ principal, sessionId, message: added, createdAt: 1 }]);
      length += 1;
    },
    ask: (writer: PromptWriter, messages: readonly ModelMessage[] = conversation, isStored = true) =>
      save(store, writer, messages, conversation, isStored ? length : undefined),
    prompts: async () => (await readExchanges(store, run)).items.map(({ request }) => request.messages),
  };
}

/** Stores an exchange and returns the number of characters that it takes. */
async function save(
  { exchanges }: CompleteStateStore,
  writer: PromptWriter,
  messages: readonly ModelMessage[],
  conversation: readonly ModelMessage[],
  historyLength: number | undefined,
): Promise<number> {
  const prompt = writer.refer([...messages], conversation, historyLength);
  const text = JSON.stringify({ step: 1, prompt, request: {}, answer: { blocks: [] } });
  await exchanges.append({ runId: run.id, record: JSON.parse(text), shared: {} });
  return text.length;
}

test('prompts of two processes, with joined messages, are read as they were sent', async () => {
  const { conversation, say, ask, prompts } = await createWorld();
  const sent: unknown[] = [];
  for (const writer of [createPromptWriter(), createPromptWriter()]) {
    await say(message('one'));
    await say(message('two'));
    await ask(writer);
    sent.push(structuredClone(conversation));
    await say(message('answer', 'assistant'));
    await say(message('three'));
    await ask(writer);
    sent.push(structuredClone(conversation));
  }
  assert.deepEqual(await prompts(), sent);
});

test('a summary and messages that are not in the history are stored once', async () => {
  const { conversation, say, ask, prompts } = await createWorld();
  for (let turn = 0; turn < 5; turn++) {
    await say(message(`question ${turn}`));
    await say(message(`answer ${turn}`, 'assistant'));
  }
  await say(message('last question'));
  const summary = message('Summary: '.repeat(500));
  const shown = [summary, ...conversation.slice(6), message('A reminder.')];
  const writer = createPromptWriter();
  const [first, second] = [await ask(writer, shown), await ask(writer, shown)];
  assert.ok(first > 4_000 && second < 400, `${first} and ${second} characters`);
  assert.deepEqual(await prompts(), [shown, shown]);
});

test('without a stored conversation each message is stored once for each process', async () => {
  const { ask, prompts } = await createWorld();
  const messages = [message('x'.repeat(1_000))];
  const writers = [createPromptWriter(), createPromptWriter()];
  const sizes: number[] = [];
  for (const writer of writers) for (const _ of [1, 2]) sizes.push(await ask(writer, messages, false));
  assert.deepEqual(
    sizes.map((size) => size > 1_000),
    [true, false, true, false],
  );
  assert.deepEqual(await prompts(), [messages, messages, messages, messages]);
});

test('pages of exchanges have the prompts of the whole list, also if an earlier page added their messages', async () => {
  const { store, conversation, say, ask, prompts } = await createWorld();
  const summary = message('Summary.');
  const writers = [createPromptWriter(), createPromptWriter()];
  for (let turn = 0; turn < 7; turn++) {
    await say(message(`question ${turn}`));
    const reminder = message(`Reminder ${turn}`);
    for (const writer of writers) await ask(writer, [summary, ...conversation.slice(-2), reminder]);
    await say(message(`answer ${turn}`, 'assistant'));
  }
  const found: unknown[] = [];
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await readExchanges(store, run, { limit: 3, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.items.map(({ request }) => request.messages));
    sizes.push(page.items.length);
    cursor = page.next;
  } while (cursor !== undefined);
  assert.deepEqual(sizes, [3, 3, 3, 3, 2]);
  assert.deepEqual(found, await prompts());
});

test('a page of large prompts ends early, and the next one continues there', async () => {
  const { store, conversation, say, ask } = await createWorld();
  await say(message('x'.repeat(3_000_000)));
  const writer = createPromptWriter();
  for (let step = 0; step < 3; step++) await ask(writer, conversation);
  const texts: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await readExchanges(store, run, cursor === undefined ? {} : { cursor });
    texts.push(JSON.stringify(page));
    assert.equal(page.items.length, 1);
    cursor = page.next;
  } while (cursor !== undefined);
  assert.equal(texts.length, 3);
  assert.ok(texts.every(({ length }) => length < 4 * 1024 * 1024));
});

test('a prompt whose history is gone is an error, not a shorter prompt', async () => {
  const { store, ask, say, conversation } = await createWorld();
  await say(message('one'));
  await ask(createPromptWriter(), conversation);
  const other = { ...run, sessionId: 'another session' };
  await expect(readExchanges(store, other)).rejects.toMatchObject({ code: 'E_STATE_CORRUPT' });
});
