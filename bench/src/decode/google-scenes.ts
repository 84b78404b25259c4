import { GoogleGenAI } from '@google/genai';
import { createGoogleProvider } from '@ravi/provider-google';
import { sse, streamBytes } from './scene.ts';
import type { DecodeScene } from './scene.ts';

const model = 'gemini-3-pro';

/** Gemini's streamGenerateContent, with arguments in pieces as Vertex AI streams them. */
export function googleScenes(): readonly DecodeScene[] {
  return [
    {
      name: '1 MB of a tool call, generateContent',
      text: geminiStream(),
      goal: '≤ 10 ms',
      ours: (answering) => createGoogleProvider({ model, fetch: answering, apiKey: 'k' }),
      peers: [{ name: '`@google/genai`, raw', read: readWithLibrary }],
    },
  ];
}

/** The library accepts no custom fetch and does not assemble arguments. */
async function readWithLibrary(answering: typeof fetch): Promise<void> {
  const { fetch: real } = globalThis;
  globalThis.fetch = answering;
  try {
    const { models } = new GoogleGenAI({ apiKey: 'k' });
    for await (const chunk of await models.generateContentStream({ model, contents: 'x' })) void chunk;
  } finally {
    globalThis.fetch = real;
  }
}

function geminiStream(): string {
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  const chunk = (functionCall: object, more: object = {}): string =>
    sse({
      candidates: [{ content: { parts: [{ functionCall }], role: 'model' }, index: 0, ...more }],
      usageMetadata,
      modelVersion: model,
      responseId: 'r',
    });
  const piece = (stringValue: string, willContinue: boolean): string =>
    chunk({ partialArgs: [{ jsonPath: '$.text', stringValue, willContinue }], willContinue: true });
  let text = chunk({ name: 'write', willContinue: true });
  while (text.length < streamBytes) text += piece('some words, ', true);
  return text + piece('', false) + chunk({}, { finishReason: 'STOP' });
}
