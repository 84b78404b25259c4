import { honestTools } from '@ravi/mcp-testing';
import type { ReceivedMessage, ServerScript, Wire } from '@ravi/mcp-testing';

type Handler = NonNullable<ServerScript['on']>[string];

const subscriptionIdKey = 'io.modelcontextprotocol/subscriptionId';

/** Behaviour of a scripted server of version 2026-07-28. */
export interface ModernBehaviour {
  /** Tools of the next reading. Default: those of an honest server. */
  readonly tools?: () => readonly unknown[];
  /** Milliseconds for which a list may be used. Default: 0, which says nothing. */
  readonly ttlMs?: number;
  /** Handlers by method, as in a {@link ServerScript}. */
  readonly on?: Readonly<Record<string, Handler>>;
}

/** Scripted server of version 2026-07-28, with its open subscriptions. */
export interface ModernScript {
  readonly script: ServerScript;
  /** Subscriptions that were asked for so far. */
  readonly subscriptions: () => number;
  /** Announces a changed list of tools on each open subscription. Without one it waits for the next. */
  announce(): void;
  /** Ends the streams of all open subscriptions without a word. */
  interrupt(): void;
}

/** Creates a scripted server of version 2026-07-28 that announces changes to subscribers. */
export function modernScript({ tools = () => honestTools, ttlMs = 0, on = {} }: ModernBehaviour = {}): ModernScript {
  const open = new Map<unknown, Wire>();
  let asked = 0;
  let isOwed = false;
  const announceTo = (id: unknown, wire: Wire): void =>
    wire.send({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: { [subscriptionIdKey]: id } },
    });
  return {
    script: {
      on: {
        'server/discover': (message, wire) =>
          complete(message, wire, {
            supportedVersions: ['2026-07-28'],
            capabilities: { tools: { listChanged: true }, extensions: { 'io.modelcontextprotocol/tasks': {} } },
            ttlMs: 0,
            cacheScope: 'private',
            _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '1.0.0' } },
          }),
        'tools/list': (message, wire) => complete(message, wire, { tools: tools(), ttlMs, cacheScope: 'private' }),
        'subscriptions/listen': ({ id, params }, wire) => {
          asked++;
          open.set(id, wire);
          wire.send({
            jsonrpc: '2.0',
            method: 'notifications/subscriptions/acknowledged',
            params: { _meta: { [subscriptionIdKey]: id }, notifications: params?.['notifications'] },
          });
          if (isOwed) announceTo(id, wire);
          isOwed = false;
        },
        ...on,
      },
    },
    subscriptions: () => asked,
    announce() {
      isOwed = open.size === 0;
      for (const [id, wire] of open) announceTo(id, wire);
    },
    interrupt() {
      for (const wire of open.values()) wire.finish();
      open.clear();
    },
  };
}

/** Sends a result of version 2026-07-28. */
export function complete(message: ReceivedMessage, wire: Wire, result: object): void {
  wire.result(message, { resultType: 'complete', ...result });
}

/** Sends the result of a tool: one text. */
export function completeText(message: ReceivedMessage, wire: Wire, text: string): void {
  complete(message, wire, { content: [{ type: 'text', text }] });
}
