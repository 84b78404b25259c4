import { nearNames } from '@ravi/support';
import type { ResolvedConfig } from './config.ts';

/** Parts of a configuration about the tools of callers. */
type AccessParts = Pick<ResolvedConfig, 'server' | 'toolAccess'>;

/**
 * Returns the mistakes in the tool roles of access tokens, each with its place: unknown roles, and principals with two of them. A run
 * belongs to its principal and not to a token, so a principal has one role.
 */
export function toolAccessMistakes({ server: { tokens }, toolAccess: { roles = {} } }: AccessParts): readonly string[] {
  const unknown = tokens.flatMap(({ toolRole }, index) => {
    if (toolRole === undefined || Object.hasOwn(roles, toolRole)) return [];
    const near = nearNames(toolRole, Object.keys(roles));
    const known = Object.keys(roles).map(quoted).join(', ');
    const hint = near.length > 0 ? `did you mean ${near.map(quoted).join(' or ')}?` : `there are ${known || 'none'}`;
    return [`server.tokens[${index}].toolRole: toolAccess.roles has no role ${quoted(toolRole)}; ${hint}`];
  });
  const two = tokens.flatMap(({ principal, toolRole }, index) => {
    const first = tokens.findIndex((other) => other.principal === principal);
    if (tokens[first]?.toolRole === toolRole) return [];
    return [
      `server.tokens[${index}].toolRole: the principal ${quoted(principal)} has another one in server.tokens[${first}]`,
    ];
  });
  return [...unknown, ...two];
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
