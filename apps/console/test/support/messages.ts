import type { ChannelEntry, ChannelMessage, Memory } from '@ravi/kernel';
import { began } from './runs.ts';

/** A private and a shared channel. */
export const channels: readonly ChannelEntry[] = [
  { channel: 'news', isShared: true, createdAt: began, messages: 1, lastNumber: 12, lastAt: began + 60_000 },
  { channel: 'team-flights', isShared: false, createdAt: began, messages: 3, lastNumber: 9, lastAt: began + 90_000 },
];

const message = { principal: 'ada', id: 'm', sentAt: began };

/** Messages of a channel: text, a value, and text with control characters. */
export const channelMessages: readonly ChannelMessage[] = [
  { ...message, number: 4, from: 'researcher', message: 'The second leg is fully booked.\nTry the ferry.' },
  { ...message, number: 7, from: 'caller', message: { seats: ['12A', '12B'], price: 180.5 } },
  { ...message, number: 9, from: 'writer', message: '\u202eevil\u001b[31m text' },
];

/** Memories of two agents. */
export const memories: readonly Memory[] = [
  { id: 'mem_2', number: 2, principal: 'ada', text: 'Grace sits at the window.', agent: 'host', createdAt: began },
  { id: 'mem_1', number: 1, principal: 'ada', text: 'The budget is in euros.', tags: ['money'], createdAt: began },
];
