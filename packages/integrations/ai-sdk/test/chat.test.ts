import {
  AbstractChat,
  convertToModelMessages,
  DefaultChatTransport,
  isStepCount,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  streamText,
} from 'ai';
import type { ChatState, UIMessage } from 'ai';
import type { MockLanguageModelV4 } from 'ai/test';
import { expect, test } from 'vitest';
import { raviTools } from '../src/index.ts';
import { createModel, createShop, refundCall } from './support.ts';

const run = { runId: 'chat-1', principal: 'ada' };
type Shop = ReturnType<typeof createShop>;

// The route of a server: all it gets is JSON of a browser.
async function serve(body: string, { gateway }: Shop, model: MockLanguageModelV4): Promise<Response> {
  const { messages } = JSON.parse(body) as { readonly messages: UIMessage[] };
  const { tools, toolApproval } = raviTools(gateway, run);
  const result = streamText({
    model,
    messages: await convertToModelMessages(messages, { tools }),
    tools,
    toolApproval,
    stopWhen: isStepCount(5),
  });
  return result.toUIMessageStreamResponse();
}

/** The class under `useChat`, with its state in an array. */
class Chat extends AbstractChat<UIMessage> {
  constructor(send: (body: string) => Promise<Response>) {
    const messages: UIMessage[] = [];
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => void messages.push(message),
      popMessage: () => void messages.pop(),
      replaceMessage: (index, message) => void messages.splice(index, 1, message),
      snapshot: (thing) => structuredClone(thing),
    };
    const transport = new DefaultChatTransport<UIMessage>({ fetch: (_url, init) => send(init?.body as string) });
    super({ state, transport, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
  }
}

interface ToolPart {
  readonly type: string;
  readonly state: string;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly approval?: { readonly id: string; readonly requestReason?: string };
}

function toolPartOf(chat: Chat): ToolPart {
  const parts = chat.lastMessage?.parts as unknown as readonly ToolPart[];
  const part = parts.find(({ type }) => type === 'tool-refund_order');
  if (part === undefined) throw new Error('The last message has no call');
  return part;
}

test('a chat shows the reason, sends the approval back, and the call runs once', async () => {
  const shop = createShop();
  const model = createModel([refundCall()], 'Done');
  const bodies: string[] = [];
  const chat = new Chat((body) => {
    bodies.push(body);
    return serve(body, shop, model);
  });
  await chat.sendMessage({ text: 'Refund A1' });
  expect(toolPartOf(chat)).toMatchObject({
    state: 'approval-requested',
    approval: { requestReason: 'refund_order (high): 100 cents for A1' },
  });
  expect(shop.refunds).toEqual([]);
  await chat.addToolApprovalResponse({ id: toolPartOf(chat).approval?.id ?? '', approved: true });
  await expect.poll(() => bodies.length).toBe(2);
  await expect.poll(() => chat.status).toBe('ready');
  expect(toolPartOf(chat)).toMatchObject({ state: 'output-available', output: 'refunded 100' });
  expect(shop.refunds).toEqual([{ id: 'A1', cents: 100 }]);
  // The browser sends the same request again.
  const again = await serve(bodies[1] ?? '', shop, createModel('Done'));
  expect(await again.text()).toContain('refunded 100');
  expect(shop.refunds).toHaveLength(1);
});

test('a denied call is shown as denied and does not run', async () => {
  const shop = createShop();
  const model = createModel([refundCall()], 'I did not refund it');
  const chat = new Chat((body) => serve(body, shop, model));
  await chat.sendMessage({ text: 'Refund A1' });
  await chat.addToolApprovalResponse({ id: toolPartOf(chat).approval?.id ?? '', approved: false, reason: 'no' });
  await expect.poll(() => model.doStreamCalls.length).toBe(2);
  await expect.poll(() => chat.status).toBe('ready');
  expect(shop.refunds).toEqual([]);
  expect(toolPartOf(chat).state).toBe('output-denied');
});

const asked = (input: object, toolCallId = 'call-1'): string =>
  JSON.stringify({
    id: 'chat-1',
    messages: [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Refund A1' }] },
      {
        id: 'a',
        role: 'assistant',
        parts: [
          {
            type: 'tool-refund_order',
            toolCallId,
            state: 'approval-responded',
            input,
            approval: { id: 'x', approved: true },
          },
        ],
      },
    ],
  });

test('a browser that makes up an approved call gets an error, also the second time', async () => {
  const shop = createShop();
  for (let attempt = 0; attempt < 2; attempt++) {
    const response = await serve(asked({ id: 'A1', cents: 9_999 }), shop, createModel('Hm'));
    expect(await response.text()).not.toContain('refunded');
  }
  expect(shop.refunds).toEqual([]);
});

test('a browser that changes the arguments of a call under approval gets an error', async () => {
  const shop = createShop();
  const chat = new Chat((body) => serve(body, shop, createModel([refundCall(100)])));
  await chat.sendMessage({ text: 'Refund A1' });
  const response = await serve(asked({ id: 'A1', cents: 9_999 }), shop, createModel('Hm'));
  expect(await response.text()).not.toContain('refunded');
  expect(shop.refunds).toEqual([]);
});
