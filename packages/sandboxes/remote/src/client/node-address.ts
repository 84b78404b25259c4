import { KernelError } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';

/** Address of a node, as a text `host:port` or with the name that its certificate has. */
export type NodeEntry = string | { readonly address: string; readonly name: string };

/** Node to connect to. */
export interface NodeAddress {
  /** `host:port`. */
  readonly address: string;
  readonly host: string;
  readonly port: number;
  /** Name or IP address that the certificate of the node must have. */
  readonly name: string;
}

const addressSchema: JsonSchema = { type: 'string', pattern: '^(\\[[0-9a-fA-F:.]+\\]|[^\\s/:@]+):[0-9]{1,5}$' };

/** Schema of the list of nodes. */
export const nodesSchema: JsonSchema = {
  type: 'array',
  minItems: 1,
  uniqueItems: true,
  description:
    'Nodes as host:port, or { address, name } if the certificate has another name than the address. A principal is always served by the same one, if it is available.',
  items: {
    anyOf: [
      addressSchema,
      {
        type: 'object',
        properties: { address: addressSchema, name: { type: 'string', minLength: 1 } },
        required: ['address', 'name'],
        additionalProperties: false,
      },
    ],
  },
};

/** Reads the list of nodes. @throws KernelError `E_CONFIG_INVALID` for a malformed address, and for one that is listed twice */
export function readNodes(entries: readonly NodeEntry[]): readonly NodeAddress[] {
  const nodes = entries.map(readNode);
  for (const [index, { address }] of nodes.entries()) {
    if (nodes.findIndex((other) => other.address === address) === index) continue;
    throw new KernelError('E_CONFIG_INVALID', `nodes: ${address} is listed twice`);
  }
  return nodes;
}

function readNode(entry: NodeEntry): NodeAddress {
  const address = typeof entry === 'string' ? entry : entry.address;
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^\s/:@]+)):(\d{1,5})$/.exec(address) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || !(port >= 1 && port <= 65_535)) {
    throw new KernelError('E_CONFIG_INVALID', `nodes: "${address}" is not host:port, with a port from 1 to 65535`);
  }
  return { address, host, port, name: typeof entry === 'string' ? host : entry.name };
}
