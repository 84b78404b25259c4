import { streamOf } from './decode-recorded.ts';

const frame = { modelVersion: 'gemini-3-pro', responseId: 'r-1' };
const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 3, totalTokenCount: 18 };

/** A chunk with these parts. */
export function chunk(parts: readonly object[], more: object = {}): object {
  return { ...frame, candidates: [{ index: 0, content: { role: 'model', parts }, ...more }] };
}

/** A call, with an id or without. */
export function call(name: string, args: object, more: object = {}): object {
  return { functionCall: { name, args, ...more } };
}

/** Thoughts, text and two calls, as Gemini streams them. */
export const callStream: string = streamOf([
  chunk([{ text: 'Hm.', thought: true }]),
  chunk([{ text: 'I will ' }]),
  chunk([{ text: 'add.' }]),
  chunk([{ ...call('math.add', { a: 1 }, { id: 'c1' }), thoughtSignature: 'c2ln' }]),
  { ...chunk([call('math.add', { a: 2 }, { id: 'c2' })], { finishReason: 'STOP' }), usageMetadata },
]);

const piece = (functionCall: object): object => chunk([{ functionCall }]);

/** A call whose arguments come piece by piece, as Vertex AI streams them, and a whole one behind it. */
export const partialStream: string = streamOf([
  chunk([{ functionCall: { name: 'write', willContinue: true }, thoughtSignature: 'c2ln' }]),
  piece({ partialArgs: [{ jsonPath: '$.path', stringValue: '/tmp/', willContinue: true }], willContinue: true }),
  piece({ partialArgs: [{ jsonPath: '$.path', stringValue: 'a' }], willContinue: true }),
  piece({ partialArgs: [{ jsonPath: '$.lines[0].text', stringValue: 'x' }], willContinue: true }),
  piece({ partialArgs: [{ jsonPath: '$.lines[1]', nullValue: 'NULL_VALUE' }], willContinue: true }),
  piece({ partialArgs: [{ jsonPath: '$.force', boolValue: true }], willContinue: true }),
  piece({}),
  { ...chunk([call('math.add', { a: 2 })], { finishReason: 'STOP' }), usageMetadata },
]);
