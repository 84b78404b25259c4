import type { ModelRequest } from '@ravi/kernel';
import { createResponseBuilder, modelErrorInStream } from '../src/index.ts';
import type { HttpModelOptions } from '../src/index.ts';

/** Options of the model, and what its encoder says beside the body. */
export interface EchoOptions extends Partial<HttpModelOptions> {
  /** The encoder's headers. */
  readonly own?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** A question without tools. */
export const question: ModelRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  tools: [],
};

/** A provider whose events are its text, named `error` its error; `{ text }` and `{ refused }` are whole answers. */
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
