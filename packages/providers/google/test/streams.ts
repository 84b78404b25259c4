import { streamOf } from './decode-recorded.ts';

const frame = { modelVersion: 'gemini-3-pro', responseId: 'r-1' };
const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 3, totalTokenCount: 18 };

/** Returns a chunk with these parts. */
export function chunk(parts: readonly object[], more: object = {}): object {
  return { ...frame, candidates: [{ index: 0, content: { role: 'model', parts }, ...more }] };
}

/** Returns a call, with or without an id. */
export function call(name: string, args: object, more: object = {}): object {
  return { functionCall: { name, args, ...more } };
}

/** Stream of thoughts, text and two calls, as of Gemini. */
export const callStream: string = streamOf([
  chunk([{ text: 'Hm.', thought: true }]),
  chunk([{ text: 'I will ' }]),
  chunk([{ text: 'add.' }]),
  chunk([{ ...call('math.add', { a: 1 }, { id: 'c1' }), thoughtSignature: 'c2ln' }]),
  { ...chunk([call('math.add', { a: 2 }, { id: 'c2' })], { finishReason: 'STOP' }), usageMetadata },
]);

const piece = (functionCall: object): object => chunk([{ functionCall }]);

/** Stream of a call with arguments in pieces, as of Vertex AI, followed by a complete call. */
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
