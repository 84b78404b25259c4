import type { ModelRequest } from '@ravi/kernel';
import { createResponseBuilder, modelErrorInStream } from '../src/index.ts';
import type { HttpModelOptions } from '../src/index.ts';

/** Options of the model and additional output of its encoder. */
export interface EchoOptions extends Partial<HttpModelOptions> {
  /** Headers of the encoder. */
  readonly own?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Request without tools. */
export const question: ModelRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  tools: [],
};

/**
 * Provider whose events are its text and whose `error` events are its error; `{ text }` and `{ refused }` are whole
 * responses.
 */
export function echoing(url: string, { own = {}, query = '', ...options }: EchoOptions = {}): HttpModelOptions {
  return {
    id: 'echo',
    maxRetries: 0,
    refusalOf: (body) => ({ message: String(body) }),
    encode: () => ({
      url: `${url}/echo${query}`,
      headers: own,
      body: {},
      warnings: [],
      createDecoder(emit) {
        const builder = createResponseBuilder({ usedIds: [], source: 'echo', nameOf: (name) => name }, emit);
        const fail = (message: string): void => builder.fail(modelErrorInStream({ status: 500, message }));
        return {
          event: (data, name) => (name === 'error' ? fail(data) : builder.text(data)),
          body(value) {
            const { text, refused } = value as { readonly text?: string; readonly refused?: string };
            if (refused === undefined) builder.text(String(text));
            else fail(refused);
          },
          end() {
            if (!builder.isOver) builder.finish('end');
          },
        };
      },
    }),
    ...options,
  };
}
