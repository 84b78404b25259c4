import type { ModelReasoning } from '@ravi/kernel';
import { commonIdRules, officeTypes } from '@ravi/provider-kit';
import type { IdRules, MediaSupport, StrictRules } from '@ravi/provider-kit';
import { deepSeekStrictRules, openAiStrictRules } from './strict-rules.ts';

/** Known servers; `compatible` is any other. */
export type DialectName = 'openai' | 'compatible' | 'deepseek' | 'groq' | 'mistral' | 'openrouter';

/** Reasoning effort. */
export type Effort = NonNullable<ModelReasoning['effort']>;

/** Differences of a server from others that implement the same API. */
export interface Dialect {
  readonly name: DialectName;
  readonly ids: IdRules;
  readonly strict?: StrictRules;
  readonly maxTools?: number;
  readonly media: MediaSupport;
  /** Documents that the Responses API reads as files, in addition to `media`. */
  readonly files?: readonly string[];
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly seedField: 'seed' | 'random_seed';
  /** True to request token counts at the end of a stream. */
  readonly streamUsage: boolean;
  /** Field of the reasoning effort; absent if the server has none. */
  readonly reasoning?: 'reasoning_effort' | 'reasoning' | 'thinking';
  /** Supported efforts; others become the nearest one. All efforts if absent. */
  readonly efforts?: readonly Effort[];
  /** False if the server rejects a user message directly after results. */
  readonly userAfterResults?: false;
  /** True if the server accepts `top_k`. */
  readonly topK: boolean;
  /** True if the server accepts metadata; `stored` if it accepts metadata only for stored responses. */
  readonly metadata: boolean | 'stored';
  /** True if the server accepts an output schema; otherwise it only accepts JSON mode. */
  readonly responseSchema: boolean;
  /** True if tool calls may be required while the model thinks. */
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
  files: officeTypes,
  maxTokensField: 'max_completion_tokens',
  seedField: 'seed',
  streamUsage: true,
  reasoning: 'reasoning_effort',
  topK: false,
  metadata: 'stored',
  responseSchema: true,
  forcedChoiceWithThinking: true,
};

const { strict: _strict, maxTools: _maxTools, files: _files, ...lenient } = openai;
const compatible: Dialect = {
  ...lenient,
  name: 'compatible',
  media: imagesOnly,
  maxTokensField: 'max_tokens',
  topK: true,
  metadata: false,
};

/** Dialects by name. */
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
    userAfterResults: false,
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

/** Returns the nearest effort that a server supports; of two equally near ones, the higher. */
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

/** Returns the dialect of the server at a URL. DeepSeek supports strict mode only below `/beta`. */
export function dialectAt(baseUrl: string, name?: DialectName): Dialect {
  const { hostname, pathname } = new URL(baseUrl);
  const found = dialects[name ?? hosts.find(([host]) => host.test(hostname))?.[1] ?? 'compatible'];
  if (found.name !== 'deepseek' || pathname.startsWith('/beta')) return found;
  const { strict: _strictAtBeta, ...plain } = found;
  return plain;
}
