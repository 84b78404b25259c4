import type { CreateMessageRequest, CreateMessageResult } from '@modelcontextprotocol/client';
import { isKernelError, KernelError, textBlock, textOf } from '@ravi/kernel';
import type { Clock, ContentBlock, ModelEvent, ModelMessage, ModelReservation, ModelUsage } from '@ravi/kernel';
import { ReceivedUsage } from '@ravi/support';
import { shown } from '../connection/describe-failure.ts';
import type { SamplingOptions } from '../options.ts';
import type { SampleModel } from './input-required.ts';

const defaultMaxTokens = 1_024;
const defaultRequestsPerCall = 3;
const defaultTokensPerDay = 100_000;
const dayMs = 86_400_000;
const maxMessages = 100;
const maxTextCharacters = 100_000;
/** Rough number of characters of a token. */
const charactersPerToken = 4;

/**
 * Creates the access of a server to a model: text only, without tools, for a running call, within the budget of the options. The server
 * chooses neither the model nor more tokens than allowed.
 */
export function createSampler(options: SamplingOptions, clock: Clock): SampleModel {
  const { provider, model, maxTokens = defaultMaxTokens, requestsPerCall = defaultRequestsPerCall } = options;
  const { tokensPerDay = defaultTokensPerDay } = options;
  let budget = { day: 0, spent: 0 };
  return async (params, call) => {
    if (call === undefined) throw refused('no call is running');
    if (++call.samplings > requestsPerCall) throw refused(`a call may ask ${requestsPerCall} times`);
    const messages = messagesOf(params);
    const limit = Math.max(1, Math.min(maxTokens, Math.floor(params.maxTokens)));
    const inputTokens = tokensOf(lengthOf(messages, params.systemPrompt));
    const reserved = inputTokens + limit;
    const day = Math.floor(clock.now() / dayMs);
    if (budget.day !== day) budget = { day, spent: 0 };
    const ofToday = budget;
    if (ofToday.spent + reserved > tokensPerDay) throw refused('the budget of the server is used up until tomorrow');
    // Reserved before the request, so that requests at the same time share the budget.
    ofToday.spent += reserved;
    const { context } = call;
    const request = { model, messages, tools: [], maxOutputTokens: limit };
    const { systemPrompt: system } = params;
    const about = { provider: provider.id, model };
    const received = new ReceivedUsage();
    let reservation: ModelReservation;
    try {
      reservation = await context.reserveModel({ ...about, usage: { inputTokens, outputTokens: limit } });
    } catch (error) {
      ofToday.spent -= reserved;
      // The limits of a caller are not for the server.
      throw isKernelError(error, 'E_BUDGET_EXHAUSTED') ? refused('no budget is left for it') : error;
    }
    let answer: Answer;
    try {
      const events = provider.stream(system === undefined ? request : { ...request, system }, {
        signal: context.signal,
      });
      answer = await answerOf(events, received);
    } catch (error) {
      const usage = received.atLeast(inputTokens);
      ofToday.spent += sumOf(usage) - reserved;
      reservation.settle({ ...about, errorCode: 'E_TOOL_FAILED', ...(sumOf(usage) === 0 ? {} : { usage }) });
      throw error;
    }
    const { content, reason } = answer;
    const usage = received.atLeast(inputTokens);
    ofToday.spent += sumOf(usage) - reserved;
    reservation.settle({ ...about, usage });
    return {
      role: 'assistant',
      model,
      content: { type: 'text', text: textOf(content) },
      stopReason: reason === 'length' ? 'maxTokens' : 'endTurn',
    } satisfies CreateMessageResult;
  };
}

interface Answer {
  readonly content: readonly ContentBlock[];
  readonly reason: string;
}

function sumOf({ inputTokens, outputTokens }: ModelUsage): number {
  return inputTokens + outputTokens;
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

function messagesOf({ messages, tools }: CreateMessageRequest['params']): readonly ModelMessage[] {
  if (tools !== undefined && tools.length > 0) throw refused('a model gets no tools of a server');
  if (messages.length === 0 || messages.length > maxMessages) throw refused(`1 to ${maxMessages} messages are allowed`);
  return messages.map(({ role, content }) => {
    const blocks = Array.isArray(content) ? content : [content];
    return {
      role,
      content: blocks.map((block) => {
        if (block.type !== 'text') throw refused(`messages hold text only, not ${block.type}`);
        return textBlock(block.text);
      }),
    };
  });
}

function lengthOf(messages: readonly ModelMessage[], system = ''): number {
  const length = messages.reduce((sum, { content }) => sum + textOf(content).length, system.length);
  if (length > maxTextCharacters) throw refused(`messages may have ${maxTextCharacters} characters`);
  return length;
}

async function answerOf(events: AsyncIterable<ModelEvent>, received: ReceivedUsage): Promise<Answer> {
  const content: ContentBlock[] = [];
  for await (const event of events) {
    if (event.type === 'block') content.push(event.block);
    received.add(event);
    if (event.type === 'finish') return { content, reason: event.reason };
    if (event.type === 'error') throw refused(`the model failed: ${shown(event.error.message)}`);
  }
  throw refused('the model gave no answer');
}

function refused(why: string): KernelError {
  return new KernelError('E_TOOL_FAILED', `The MCP server may not use the model: ${why}`);
}
