import type { ContentBlock, JsonObject, ModelMessage } from '@ravi/kernel';
import type { WireRequest } from '@ravi/provider-kit';
import type { RecordedInteraction, Recording } from '@ravi/testkit';
import { encodeGemini } from '../src/index.ts';
import { contextOf, decodeInteraction, requestOf, settingsOf } from './decode-recorded.ts';

type WireObject = Readonly<Record<string, unknown>>;

/** An answer and how it went back, as its recorder sent it and as we do. */
export interface Replay {
  readonly name: string;
  /** With results for all calls, as a loop would go on. */
  readonly encoded: WireRequest;
  /** The assistant's part of it, in comparable words. */
  readonly ours: readonly unknown[];
  /** The same of the request that was recorded behind it; `undefined` when that was another conversation. */
  readonly theirs: readonly unknown[] | undefined;
}

/** Decodes each answer of a recording, encodes it again, and finds what was really sent. */
export function replaysOf({ name, interactions }: Recording): Replay[] {
  return interactions.flatMap((interaction, at): Replay[] => {
    if (!/enerateContent/u.test(interaction.request.path) || interaction.response.status !== 200) return [];
    const answer = decodeInteraction(interaction, contextOf(interaction)).blocks;
    const encoded = encodeGemini({ ...requestOf(interaction), messages: continued(answer) }, settingsOf(interaction));
    const contents = encoded.body['contents'] as readonly WireObject[];
    return [
      {
        name: `${name}#${at}`,
        encoded,
        ours: comparable(contents.filter(({ role }) => role === 'model')),
        theirs: theirPart(interaction, interactions[at + 1]),
      },
    ];
  });
}

/** A conversation that goes on from an answer. */
function continued(answer: readonly ContentBlock[]): ModelMessage[] {
  const results = answer.flatMap((block): ContentBlock[] =>
    block.type === 'tool_use'
      ? [{ type: 'tool_result', toolUseId: block.id, isError: false, content: [{ type: 'text', text: 'done' }] }]
      : [],
  );
  return [
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    { role: 'assistant', content: answer },
    { role: 'user', content: [...results, { type: 'text', text: 'And?' }] },
  ];
}

/** The contents of the model behind those that the request before had too. */
function theirPart(before: RecordedInteraction, next: RecordedInteraction | undefined): readonly unknown[] | undefined {
  const [shared, all] = [contentsIn(before), contentsIn(next)];
  if (all.length <= shared.length || JSON.stringify(shared) !== JSON.stringify(all.slice(0, shared.length)))
    return undefined;
  const rest = all.slice(shared.length);
  const end = rest.findIndex(({ role }) => role !== 'model');
  const part = end === -1 ? rest : rest.slice(0, end);
  return part.length === 0 ? undefined : comparable(part);
}

function contentsIn(interaction: RecordedInteraction | undefined): readonly WireObject[] {
  const { contents = [] } = (interaction?.request.body ?? {}) as {
    readonly contents?: readonly WireObject[] | WireObject;
  };
  return Array.isArray(contents) ? (contents as readonly WireObject[]) : [contents as WireObject];
}

/** Parts without the ids that recorders gave, in one spelling: names and base 64 may be written in two ways. */
function comparable(contents: readonly WireObject[]): unknown[] {
  const parts = contents.flatMap((content) => content['parts'] as readonly WireObject[]).map(comparablePart);
  // A stream's texts may go back in pieces or joined.
  return parts.reduce<WireObject[]>((joined, part) => {
    const last = joined.at(-1);
    const isMore = [last, part].every((one) => one !== undefined && Object.keys(one).join() === 'text');
    return isMore ? [...joined.slice(0, -1), { text: `${last?.['text']}${part['text']}` }] : [...joined, part];
  }, []);
}

function comparablePart(part: WireObject): WireObject {
  const {
    functionCall,
    function_call: call = functionCall,
    thoughtSignature,
    thought_signature: signature = thoughtSignature,
    thought,
    ...rest
  } = part;
  const { id: _id, args = {}, ...asked } = (call ?? {}) as JsonObject;
  return {
    ...rest,
    ...(call === undefined ? {} : { functionCall: { ...asked, args } }),
    ...(typeof signature === 'string' ? { signature: inOneSpelling(signature) } : {}),
    ...(thought === true && call === undefined ? { thought } : {}),
  };
}

function inOneSpelling(base64: string): string {
  return base64.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/u, '');
}
