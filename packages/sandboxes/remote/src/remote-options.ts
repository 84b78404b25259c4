import type { JsonSchema } from '@ravi/kernel';
import { nodesSchema } from './client/node-address.ts';
import type { NodeEntry } from './client/node-address.ts';
import { tlsFileProperties } from './tls-files.ts';
import type { TlsFiles } from './tls-files.ts';

/** Options of the remote sandbox. */
export interface RemoteSandboxOptions extends TlsFiles {
  /** Nodes that run the scripts. */
  readonly nodes: readonly NodeEntry[];
  /** Milliseconds for a connection to be opened, and for a run to wait for a node. Default: 5000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds between two pings of each connection; a node that has not replied when the next is due is lost. Default: 10000. */
  readonly pingIntervalMs?: number;
  /** Bytes that may wait until nodes read them. Above it the run with the most ends. Default: 256 MiB. */
  readonly maxBufferedBytes?: number;
}

/** Default options of the remote sandbox. */
export const defaultRemoteOptions: Required<
  Pick<RemoteSandboxOptions, 'connectTimeoutMs' | 'pingIntervalMs' | 'maxBufferedBytes'>
> = Object.freeze({ connectTimeoutMs: 5_000, pingIntervalMs: 10_000, maxBufferedBytes: 268_435_456 });

/** Schema of {@link RemoteSandboxOptions}. */
export const remoteOptionsSchema: JsonSchema = {
  type: 'object',
  properties: {
    nodes: nodesSchema,
    ...tlsFileProperties,
    connectTimeoutMs: {
      type: 'integer',
      minimum: 1,
      default: defaultRemoteOptions.connectTimeoutMs,
      description: 'Milliseconds for a connection to be opened, and for a run to wait for a node.',
    },
    pingIntervalMs: {
      type: 'integer',
      minimum: 1,
      default: defaultRemoteOptions.pingIntervalMs,
      description:
        'Milliseconds between two pings of each connection; a node that has not replied when the next is due is lost.',
    },
    maxBufferedBytes: {
      type: 'integer',
      // A frame must fit.
      minimum: 67_108_864,
      default: defaultRemoteOptions.maxBufferedBytes,
      description: 'Bytes that may wait until nodes read them. Above it the run with the most ends.',
    },
  },
  required: ['nodes', 'ca', 'cert', 'key'],
  additionalProperties: false,
};
