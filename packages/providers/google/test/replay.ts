import type { ContentBlock, JsonObject, ModelMessage } from '@ravi/kernel';
import type { WireRequest } from '@ravi/provider-kit';
import type { RecordedInteraction, Recording } from '@ravi/testkit';
import { encodeGemini } from '../src/index.ts';
import { contextOf, decodeInteraction, requestOf, settingsOf } from './decode-recorded.ts';

type WireObject = Readonly<Record<string, unknown>>;

/** Recorded response and how it is sent back, by its recorder and by us. */
export interface Replay {
  readonly name: string;
  /** Request with results for all calls, as a loop would continue. */
  readonly encoded: WireRequest;
  /** Its assistant part in comparable form. */
  readonly ours: readonly unknown[];
  /** The same of the next recorded request; `undefined` if that is another conversation. */
  readonly theirs: readonly unknown[] | undefined;
}

/** Decodes each response of a recording, encodes it again, and finds what was really sent. */
export function replaysOf({ name, interactions }: Recording): Replay[] {
  return interactions.flatMap((interaction, at): Replay[] => {
    if (!/enerateContent/u.test(interaction.request.path) || interaction.response.status !== 200) return [];
    const response = decodeInteraction(interaction, contextOf(interaction)).blocks;
    const encoded = encodeGemini({ ...requestOf(interaction), messages: continued(response) }, settingsOf(interaction));
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

/** Returns a conversation that continues a response. */
function continued(response: readonly ContentBlock[]): ModelMessage[] {
  const results = response.flatMap((block): ContentBlock[] =>
    block.type === 'tool_use'
      ? [{ type: 'tool_result', toolUseId: block.id, isError: false, content: [{ type: 'text', text: 'done' }] }]
      : [],
  );
  return [
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    { role: 'assistant', content: response },
    { role: 'user', content: [...results, { type: 'text', text: 'And?' }] },
  ];
}

/** Returns the model contents after those of the previous request. */
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

/** Returns parts without the ids of recorders, in one spelling, because names and base64 have two. */
function comparable(contents: readonly WireObject[]): unknown[] {
  const parts = contents.flatMap((content) => content['parts'] as readonly WireObject[]).map(comparablePart);
  // Texts of a stream may be sent back in pieces or joined.
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
