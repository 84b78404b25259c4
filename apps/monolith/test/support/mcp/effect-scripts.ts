import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import type { ServerScript } from '@ravi/mcp-testing';

/** Behaviour of a server whose tool has an effect. */
export interface NoteServer {
  /** Called with the text of each call that reaches the server. */
  onNote(text: string): void;
  /**
   * While there is a file with this path, the server does not answer the first message of a client: it leaves a file with the path and
   * `.held`.
   */
  readonly gate?: string | undefined;
}

const noteTool = {
  name: 'note',
  description: 'Writes a note.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

/** Returns the script of a server with the tool `note`. */
export function noteScript({ onNote, gate }: NoteServer): ServerScript {
  return {
    tools: () => [noteTool],
    on: {
      initialize(message, wire) {
        if (gate === undefined || !existsSync(gate)) return false;
        writeFileSync(`${gate}.held`, '');
        const timer = setInterval(() => {
          if (existsSync(gate)) return;
          clearInterval(timer);
          const serverInfo = { name: 'scripted', version: '1.0.0' };
          wire.result(message, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
        }, 20);
        return true;
      },
      'tools/call'(message, wire) {
        const given = message.params?.['arguments'] as { readonly text: string } | undefined;
        onNote(given?.text ?? '');
        wire.result(message, { content: [{ type: 'text', text: 'noted' }] });
      },
    },
  };
}

const { RAVI_NOTES = '', RAVI_GATE } = process.env;

/** Ends a server that is connected once the gate closes, so that its client connects again. */
function endAtGate(gate: string): void {
  if (existsSync(gate)) return;
  setInterval(() => existsSync(gate) && process.exit(1), 20).unref();
}

if (RAVI_GATE !== undefined) endAtGate(RAVI_GATE);

/** Scripts by name, for a server over standard streams: it appends notes to the file `RAVI_NOTES`. `RAVI_GATE` names its gate. */
export const scripts: Readonly<Record<string, ServerScript>> = {
  notes: noteScript({ onNote: (text) => appendFileSync(RAVI_NOTES, `${text}\n`), gate: RAVI_GATE }),
};
