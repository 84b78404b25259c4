import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ModelStopReason } from '@ravi/kernel';
import type { CollectedAnswer, ExpectedCall, ExpectedDecode, RecordedInteraction } from '@ravi/testkit';

/** Provider-specific parts of a comparison with the provider's library. */
export interface Comparison {
  /** Returns the stop reasons that match the finish reason of the library; `undefined` for none. */
  reasonsFor(finish: string | undefined, hasCalls: boolean): readonly ModelStopReason[];
  /** Returns the output tokens that the library counts. */
  outputTokensOf(usage: Readonly<Record<string, unknown>>): number | undefined;
  /** `false` if the library is known to read other text; `true` by default. */
  readonly comparesText?: boolean;
}

/** Returns the differences between a decoded response and what the provider's library read; empty if there are none. */
export function differences(
  response: CollectedAnswer,
  { expected }: RecordedInteraction,
  comparison: Comparison,
): readonly string[] {
  if (expected === undefined) return [];
  const unreadable = expected.decodeError ?? expected.error;
  if (unreadable !== undefined) {
    // A fully filtered response is a refusal to us and a failure to other libraries.
    const isRefused = response.finish?.reason === 'refusal' && response.blocks.length === 0;
    return response.error === undefined && !isRefused ? [`read although ${unreadable}`] : [];
  }
  if (response.error !== undefined) return [`failed: ${response.error.code} ${response.error.message}`];
  return [
    ...callDifferences(response, expected),
    ...(comparison.comparesText === false ? [] : textDifferences(response, expected)),
    ...endDifferences(response, expected, comparison),
  ];
}

function callDifferences({ blocks }: CollectedAnswer, { disagree, toolCalls }: ExpectedDecode): string[] {
  const wanted = disagree?.aiSdkToolCalls ?? toolCalls ?? [];
  const calls = blocks.filter((block) => block.type === 'tool_use');
  if (calls.length !== wanted.length) return [`${calls.length} calls instead of ${wanted.length}`];
  return calls.flatMap((call, at) => {
    const want = wanted[at] as ExpectedCall;
    const found: string[] = [];
    const isUnique = wanted.filter(({ id }) => id === want.id).length === 1;
    if (isUnique && want.id && want.id !== call.id) found.push(`call ${at} has id ${call.id} instead of ${want.id}`);
    if (want.name !== call.name) found.push(`call ${at} is ${call.name} instead of ${want.name}`);
    const args = argumentsOf(want);
    if (args === undefined ? call.invalid === undefined : !isDeepStrictEqual(call.arguments, args)) {
      found.push(`call ${at} has ${JSON.stringify(call.arguments)} instead of ${JSON.stringify(want.arguments)}`);
    }
    return found;
  });
}

function textDifferences({ blocks }: CollectedAnswer, { text }: ExpectedDecode): string[] {
  const said = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
  if (hashOf(said) === (text?.sha1 ?? hashOf(''))) return [];
  return [`text of ${said.length} characters instead of ${text?.chars ?? 0}`];
}

function endDifferences(
  { finish, blocks }: CollectedAnswer,
  expected: ExpectedDecode,
  comparison: Comparison,
): string[] {
  const found: string[] = [];
  const hasCalls = blocks.some(({ type }) => type === 'tool_use');
  const reasons = comparison.reasonsFor(expected.finish ?? undefined, hasCalls);
  if (finish === undefined || !reasons.includes(finish.reason)) {
    found.push(`finished by ${finish?.reason}, not ${expected.finish}`);
  }
  const tokens = expected.usage ? comparison.outputTokensOf(expected.usage) : undefined;
  if (tokens !== undefined && finish?.usage.outputTokens !== tokens) {
    found.push(`${finish?.usage.outputTokens} output tokens instead of ${tokens}`);
  }
  return found;
}

/** Parses expected arguments: `undefined` if they are not JSON; empty text is an empty object. */
function argumentsOf(call: ExpectedCall): unknown {
  if (typeof call.arguments !== 'string') return call.arguments ?? {};
  if (call.arguments.trim() === '') return {};
  try {
    return JSON.parse(call.arguments);
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
