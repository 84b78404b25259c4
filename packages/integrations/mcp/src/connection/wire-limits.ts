import { TextDecoder } from 'node:util';
import type { Clock } from '@ravi/kernel';
import type { JsonLimits } from '@ravi/source-kit';
import type { McpLimits } from '../options.ts';
import { createMessageRate } from './message-rate.ts';
import type { MessageRate } from './message-rate.ts';
import { createSentSecrets } from './sent-secrets.ts';
import type { SentSecrets } from './sent-secrets.ts';

const maxNodes = 250_000;

/** Ends the connection, because the server `did` something that the limits do not allow: `sent too many messages`. */
export type Violation = (did: string) => void;

/** Limits of the messages of one connection, checked before a message is parsed. */
export interface WireLimits extends JsonLimits {
  readonly rate: MessageRate;
  /** Of requests, each of which has to be answered. */
  readonly requestRate: MessageRate;
  /** Refuses bytes that are not UTF-8. */
  readonly decoder: TextDecoder;
  /** Kept out of every message. */
  readonly secrets: SentSecrets;
}

/** Returns what a server did that sent more messages than `rate` allows. */
export function tooManyMessages({ rate }: WireLimits): string {
  return `sent too many messages: at most ${rate.perSecond} per second are read (limits.messagesPerSecond)`;
}

/** Returns what a server did that made more requests than `requestRate` allows. */
export function tooManyRequests({ requestRate }: WireLimits): string {
  return `sent too many requests: at most ${requestRate.perSecond} per second are answered, a tenth of limits.messagesPerSecond`;
}

/** Returns what a server did that sent a message of more than `maxBytes`. */
export function tooLongMessage({ maxBytes }: WireLimits): string {
  return `sent a message of more than ${maxBytes} bytes (limits.messageBytes)`;
}

/** Returns the limits of a new connection. */
export function createWireLimits(limits: McpLimits, clock: Clock): WireLimits {
  return {
    maxBytes: limits.messageBytes,
    maxDepth: limits.messageDepth,
    maxNodes,
    rate: createMessageRate(limits.messagesPerSecond, clock),
    requestRate: createMessageRate(Math.ceil(limits.messagesPerSecond / 10), clock),
    decoder: new TextDecoder('utf-8', { fatal: true }),
    secrets: createSentSecrets(),
  };
}
