import type { ModelReasoning } from '@ravi/kernel';
import { commonIdRules } from '@ravi/provider-kit';
import type { IdRules, MediaSupport, StrictRules } from '@ravi/provider-kit';
import { deepSeekStrictRules, openAiStrictRules } from './strict-rules.ts';

/** The servers whose ways are known; `compatible` is any other. */
export type DialectName = 'openai' | 'compatible' | 'deepseek' | 'groq' | 'mistral' | 'openrouter';

/** How much to think, in steps. */
export type Effort = NonNullable<ModelReasoning['effort']>;

/** How a server differs from the others that speak the same protocol. */
export interface Dialect {
  readonly name: DialectName;
  readonly ids: IdRules;
  readonly strict?: StrictRules;
  readonly maxTools?: number;
  readonly media: MediaSupport;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly seedField: 'seed' | 'random_seed';
  /** Asks for token counts at the end of a stream. */
  readonly streamUsage: boolean;
  /** Where the effort of reasoning goes; absent where nothing takes it. */
  readonly reasoning?: 'reasoning_effort' | 'reasoning' | 'thinking';
  /** The steps of effort that it knows; each other one becomes the nearest. All that there are when absent. */
  readonly efforts?: readonly Effort[];
  /** Refuses what the user says directly behind results. */
  readonly needsReplyToResults?: boolean;
  /** Takes `top_k`. */
  readonly topK: boolean;
  /** Takes metadata; `stored` for answers that it keeps, and refuses them with any other. */
  readonly metadata: boolean | 'stored';
  /** Takes a schema for the answer; otherwise only that it is JSON. */
  readonly responseSchema: boolean;
  /** A choice of tools may be forced while the model thinks. */
  readonly forcedChoiceWithThinking: boolean;
}

const images = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const openAiMedia: MediaSupport = {
  user: [...images, 'application/pdf', 'audio/wav', 'audio/mpeg', 'audio/mp3'],
  'tool-result': [],
  urls: true,
};
const noMedia: MediaSupport = { user: [], 'tool-result': [], urls: false };
const imagesOnly: MediaSupport = { user: images, 'tool-result': [], urls: true };

const openai: Dialect = {
  name: 'openai',
  ids: commonIdRules,
  strict: openAiStrictRules,
  maxTools: 128,
  media: openAiMedia,
  maxTokensField: 'max_completion_tokens',
  seedField: 'seed',
  streamUsage: true,
  reasoning: 'reasoning_effort',
  topK: false,
  metadata: 'stored',
  responseSchema: true,
  forcedChoiceWithThinking: true,
};

const { strict: _strict, maxTools: _maxTools, ...lenient } = openai;
const compatible: Dialect = {
  ...lenient,
  name: 'compatible',
  media: imagesOnly,
  maxTokensField: 'max_tokens',
  topK: true,
  metadata: false,
};

/** Each server, by its name. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  openai,
  compatible,
  deepseek: {
    ...lenient,
    name: 'deepseek',
    strict: deepSeekStrictRules,
    maxTools: 128,
    media: noMedia,
    maxTokensField: 'max_tokens',
    reasoning: 'thinking',
    metadata: false,
    responseSchema: false,
    forcedChoiceWithThinking: false,
  },
  groq: { ...lenient, name: 'groq', media: imagesOnly, efforts: ['none', 'low', 'medium', 'high'], metadata: false },
  mistral: {
    ...lenient,
    name: 'mistral',
    ids: { pattern: /^[a-zA-Z0-9]{9}$/u, prefix: '', length: 9 },
    strict: openAiStrictRules,
    media: imagesOnly,
    maxTokensField: 'max_tokens',
    seedField: 'random_seed',
    streamUsage: false,
    reasoning: 'reasoning_effort',
    efforts: ['none', 'high'],
    needsReplyToResults: true,
    metadata: true,
  },
  openrouter: {
    ...compatible,
    name: 'openrouter',
    media: { ...openAiMedia, 'tool-result': images },
    reasoning: 'reasoning',
  },
};

const steps: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'max'];

/** The nearest step of effort that a server knows; of two the one that thinks more. */
export function effortAt({ efforts = steps }: Dialect, wanted: Effort | undefined): Effort | undefined {
  if (wanted === undefined) return undefined;
  const distance = (step: Effort): number => Math.abs(steps.indexOf(step) - steps.indexOf(wanted));
  return efforts.toSorted(
    (one, other) => distance(one) - distance(other) || steps.indexOf(other) - steps.indexOf(one),
  )[0];
}

const hosts: readonly (readonly [host: RegExp, name: DialectName])[] = [
  [/(^|\.)openai\.(com|azure\.com)$/u, 'openai'],
  [/(^|\.)deepseek\.com$/u, 'deepseek'],
  [/(^|\.)groq\.com$/u, 'groq'],
  [/(^|\.)mistral\.ai$/u, 'mistral'],
  [/(^|\.)openrouter\.ai$/u, 'openrouter'],
];

/** The dialect of the server at an address. Strict mode of DeepSeek is there at its `/beta` address only. */
export function dialectAt(baseUrl: string, name?: DialectName): Dialect {
  const { hostname, pathname } = new URL(baseUrl);
  const found = dialects[name ?? hosts.find(([host]) => host.test(hostname))?.[1] ?? 'compatible'];
  if (found.name !== 'deepseek' || pathname.startsWith('/beta')) return found;
  const { strict: _strictAtBeta, ...plain } = found;
  return plain;
}
