import type { JsonObject } from '@ravi/kernel';
import type { GatewayScript } from './gateway.ts';

/**
 * Returns the script that makes one call. A call of a client is a script of one line, so that it can pause for approval, survive a
 * restart and be followed like any other.
 */
export function scriptOfCall(name: string, args: JsonObject): GatewayScript {
  // Text, because a key such as __proto__ has another meaning in an object literal.
  const json = JSON.stringify(JSON.stringify(args));
  return { code: `return await tools[${JSON.stringify(name)}](JSON.parse(${json}));` };
}
