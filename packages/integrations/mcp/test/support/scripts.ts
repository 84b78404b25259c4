import { honestTools } from '@ravi/mcp-testing';
import type { ReceivedMessage, ServerScript, Wire } from '@ravi/mcp-testing';

let lists = 0;
const waiting = new Map<unknown, { readonly message: ReceivedMessage; readonly wire: Wire }>();

/** Scripts of servers that keep to the protocol. */
export const scripts: Readonly<Record<string, ServerScript>> = {
  honest: {},
  // Shows the whole environment.
  environment: {
    on: {
      'tools/call': (message, wire) =>
        wire.result(message, { content: [{ type: 'text', text: JSON.stringify(process.env) }] }),
    },
  },
  // Three pages with one tool each.
  paged: {
    on: {
      'tools/list': (message, wire) => {
        const page = Number(message.params?.['cursor'] ?? 0);
        const tools = [{ ...honestTools[0], name: `work-${page}` }];
        wire.result(message, page < 2 ? { tools, nextCursor: String(page + 1) } : { tools });
      },
    },
  },
  // Titles that repeat the name, say more, and replace a missing description.
  titled: {
    tools: () => [
      { ...honestTools[0], name: 'read_text', title: 'Read Text', description: 'Reads a file.' },
      { ...honestTools[0], name: 'read_old', title: 'Read (Deprecated)', description: 'Reads a file.' },
      { ...honestTools[0], name: 'read_bare', title: 'Reads something', description: '' },
    ],
  },
  // The first call adds a tool and announces it.
  growing: {
    tools: () => (lists++ === 0 ? honestTools : [...honestTools, { ...honestTools[0], name: 'more' }]),
    on: {
      'tools/call': (message, wire) => {
        wire.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        wire.result(message, { content: [] });
      },
    },
  },
  // Reports progress, then waits to be cancelled, which the next call shows.
  patient: {
    on: {
      'tools/call': (message, wire) => {
        const progressToken = (message.params?.['_meta'] as { progressToken?: unknown } | undefined)?.progressToken;
        const value = (message.params?.['arguments'] as { value?: string } | undefined)?.value;
        if (value === 'wait') {
          waiting.set(message.id, { message, wire });
          wire.send({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken, progress: 1, total: 4, message: 'begun' },
          });
          return;
        }
        wire.result(message, { content: [{ type: 'text', text: `${waiting.size} waiting` }] });
      },
      'notifications/cancelled': (message) => void waiting.delete(message.params?.['requestId']),
    },
  },
  // Ends during the first call of each process.
  mortal: {
    on: {
      'tools/call': (message, wire) => {
        const value = (message.params?.['arguments'] as { value?: string } | undefined)?.value;
        if (value !== 'die') return false;
        wire.die();
      },
    },
  },
  // Asks a question before it answers.
  curious: {
    on: {
      'tools/call': (message, wire) => {
        waiting.set('question', { message, wire });
        wire.send({
          jsonrpc: '2.0',
          id: 'question',
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: 'Which city?',
            requestedSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        });
      },
      any: (message) => {
        if (message.method !== undefined || message.id !== 'question') return;
        const asked = waiting.get('question');
        asked?.wire.result(asked.message, { content: [{ type: 'text', text: JSON.stringify(message.result) }] });
      },
    },
  },
};
