import type {
  Client,
  ClientContext,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
} from '@modelcontextprotocol/client';

/** Lists of a server that may change. */
export type ListName = 'tools' | 'resources' | 'prompts';

/** Requests that a server may send to its client, outside of the answers to calls. */
export interface ServerRequests {
  onListChanged(list: ListName): void;
  onElicit(params: ElicitRequest['params'], context: ClientContext): Promise<ElicitResult>;
  /** Absent if the server may not use a model. */
  readonly onSample?: (params: CreateMessageRequest['params'], context: ClientContext) => Promise<CreateMessageResult>;
}

/** Established connection to a server. */
export interface Connection {
  readonly client: Client;
  /** Version of the protocol, for example `2026-07-28`. */
  readonly protocol: string;
  /** True if the server cannot send requests and answers with `input_required` instead. */
  readonly isModern: boolean;
  readonly program?: { readonly name: string; readonly version: string };
  /** True if the server knows the connection by the id of a session, over HTTP. */
  hasSession(): boolean;
  /** Reason why the connection has ended, for an operator; `undefined` while it lasts. */
  endReason(): string | undefined;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}
