import assert from 'node:assert/strict';
import { joinMessages } from '@ravi/agents';
import { isKernelError, textBlock } from '@ravi/kernel';
import type { CompleteStateStore, ModelMessage } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createSeededRandom } from '@ravi/testkit';
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

/** A view that shows short copies of all messages but the last three. */
function cutAll(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.map((each, index) => {
    const [block] = each.content;
    if (index >= messages.length - 3 || block?.type !== 'text') return each;
    return { role: each.role, content: [textBlock(each.role === 'user' ? block.text.slice(0, 20) : block.text)] };
  });
}

test('a prompt of copies takes no more in a long conversation than in a short one', async () => {
  const { store, conversation, say, ask } = await createWorld();
  const writer = createPromptWriter();
  const sizes: number[] = [];
  const sent: (readonly ModelMessage[])[] = [];
  for (let turn = 0; turn < 120; turn++) {
    await say(message(`Result ${turn} ${'x'.repeat(500)}`));
    const shown = cutAll(conversation);
    sizes.push(await ask(writer, shown));
    sent.push(shown);
    await say(message(`Answer ${turn}`, 'assistant'));
  }
  assertSame(((await pagesOf(store, 50)) as readonly Prompts[]).flat(), sent, 'copies');
  const [early, late] = [sizes[20] ?? NaN, sizes[119] ?? NaN];
  assert.ok(late <= early * 1.1 && late < 700, `${early} and ${late} characters`);
});

/** Asserts that prompts are the same; the difference of long ones would take minutes to show. */
function assertSame(found: Prompts, expected: Prompts, what: string): void {
  const different = expected.findIndex((prompt, index) => JSON.stringify(prompt) !== JSON.stringify(found[index]));
  assert.deepEqual([found.length, different], [expected.length, -1], what);
}

test('any prompts of any writers are read as they were sent, in pages of any size, or not at all if one is missing', async () => {
  for (let seed = 1; seed <= 40; seed++) await assertReads(seed);
});

/** Stores random prompts, reads them, then removes one exchange and reads the others. */
async function assertReads(seed: number): Promise<void> {
  const { below } = createSeededRandom(seed);
  const { store, conversation, say, ask } = await createWorld();
  let writers = [createPromptWriter(), createPromptWriter()];
  const reminders = Array.from({ length: 3 }, (_, index) => message(`Reminder ${index}`));
  const changes: readonly ((shown: readonly ModelMessage[]) => readonly ModelMessage[])[] = [
    (shown) => shown,
    (shown) => structuredClone(shown),
    cutAll,
    (shown) => shown.filter(() => below(5) > 0),
    (shown) => shown.toSpliced(below(shown.length), 0, reminders[below(3)] as ModelMessage),
    (shown) => shown.toSpliced(0, 1, message(`It is ${below(5)} now.`)),
    (shown) => [...shown.slice(below(shown.length)), ...shown.slice(0, 2)],
    (shown) => shown.toReversed(),
  ];
  const sent: (readonly ModelMessage[])[] = [];
  for (let step = 0; step < 40; step++) {
    await say(message(`${below(4) === 0 ? 'again' : `input ${step}`} ${'y'.repeat(below(40))}`));
    const changed = changes[below(changes.length)] ?? assert.fail();
    const shown = below(3) === 0 ? cutAll(changed(conversation)) : changed(conversation);
    if (below(15) === 0) writers = writers.with(below(2), createPromptWriter());
    await ask(writers[below(2)] ?? assert.fail(), shown, below(20) > 0);
    sent.push(structuredClone(shown));
    if (below(3) > 0) await say(message(below(4) === 0 ? 'ok' : `answer ${step}`, 'assistant'));
  }
  const limit = 1 + below(12);
  assertSame(((await pagesOf(store, limit)) as readonly Prompts[]).flat(), sent, `seed ${seed}`);

  const lost = below(sent.length);
  const left = sent.toSpliced(lost, 1);
  let at = 0;
  let corrupt = 0;
  for (const page of await pagesOf(withoutExchange(store, lost), limit)) {
    if (page instanceof Error) corrupt += 1;
    else assertSame(page, left.slice(at, at + limit), `seed ${seed} without ${lost}`);
    at += limit;
  }
  assert.ok(corrupt <= Math.ceil(left.length / limit));
}

type Prompts = readonly (readonly ModelMessage[])[];

/** Reads every page of the prompts, also after one that cannot be read. */
async function pagesOf(
  store: Pick<CompleteStateStore, 'exchanges' | 'history'>,
  limit: number,
): Promise<readonly (Prompts | Error)[]> {
  const pages: (Prompts | Error)[] = [];
  let cursor: string | undefined;
  do {
    const place = { limit, ...(cursor === undefined ? {} : { cursor }) };
    try {
      pages.push((await readExchanges(store, run, place)).items.map(({ request }) => request.messages));
    } catch (error) {
      assert.ok(isKernelError(error, 'E_STATE_CORRUPT'), String(error));
      pages.push(error);
    }
    cursor = (await store.exchanges.list(run.id, place)).next;
  } while (cursor !== undefined);
  return pages;
}

/** Returns a store that lacks one exchange, as after damage. */
function withoutExchange(store: CompleteStateStore, lost: number): Pick<CompleteStateStore, 'exchanges' | 'history'> {
  const list: CompleteStateStore['exchanges']['list'] = async (runId, { limit = 100, cursor = '0' } = {}) => {
    const { items } = await store.exchanges.list(runId, { limit: 1_000 });
    const from = Number(cursor);
    const left = items.toSpliced(lost, 1).map((item, index) => ({ ...item, cursor: String(index + 1) }));
    const page = left.slice(from, from + limit);
    return { items: page, corrupt: [], ...(from + limit < left.length ? { next: String(from + limit) } : {}) };
  };
  return { history: store.history, exchanges: { ...store.exchanges, list } };
}

test('prompts of earlier versions are read', async () => {
  const { store, conversation, say, prompts } = await createWorld();
  await say(message('one'));
  await say(message('answer', 'assistant'));
  const [reminder, summary] = [message('Reminder'), message('Summary')];
  const references = [
    { historyLength: 2, ranges: [{ of: 'conversation', from: 0, to: 2 }] },
    {
      historyLength: 2,
      writer: 'writer-1',
      added: [reminder, summary],
      addedFrom: 0,
      ranges: [
        { of: 'conversation', from: 1, to: 2 },
        { of: 'added', from: 0, to: 1 },
      ],
    },
    { writer: 'writer-1', ranges: [{ of: 'added', from: 0, to: 2 }] },
  ];
  for (const prompt of references) {
    const record = JSON.parse(JSON.stringify({ step: 1, prompt, request: {}, answer: { blocks: [] } }));
    await store.exchanges.append({ runId: run.id, record, shared: {} });
  }
  assert.deepEqual(await prompts(), [conversation, [conversation[1], reminder], [reminder, summary]]);
});

test('media are not taken for others of the same size', async () => {
  const { conversation, say, ask, prompts } = await createWorld();
  await say(message('one'));
  const picture = (byte: number): ModelMessage =>
    ({ role: 'user', content: [{ type: 'image', source: { kind: 'bytes', bytes: new Uint8Array([byte]) } }] }) as never;
  const writer = createPromptWriter();
  const shown = [conversation[0] ?? assert.fail(), picture(1), picture(2)];
  await ask(writer, shown);
  assert.equal((await prompts())[0]?.length, 3);
  const { ranges, added } = createPromptWriter().refer([picture(1), picture(1)], [], undefined);
  assert.deepEqual([ranges, added?.length], [[{ of: 'added', from: 0, to: 2 }], 2]);
});

test('a prompt whose history is gone is an error, not a shorter prompt', async () => {
  const { store, ask, say, conversation } = await createWorld();
  await say(message('one'));
  await ask(createPromptWriter(), conversation);
  const other = { ...run, sessionId: 'another session' };
  await expect(readExchanges(store, other)).rejects.toMatchObject({ code: 'E_STATE_CORRUPT' });
});
