import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { tableLines } from '../render/table.ts';
import { visible } from '../render/visible.ts';

/** Permissions of each role, in the order of their power. */
const permissions = {
  run: 'start runs and call tools',
  approve: 'decide approvals of every principal',
  admin: 'see and change everything',
} as const;

/** Shows the principal and roles that the server knows the caller by. @throws RaviApiError `E_UNAUTHENTICATED` */
export const showCaller: CommandBody = async (invocation, terminal) => {
  await using client = await connect(invocation, terminal);
  const { principal, roles, toolRole } = await client.login.get();
  if (invocation.isJson) return terminal.print(JSON.stringify({ principal, roles, toolRole }));
  terminal.print(`principal ${visible(principal)}`);
  const ofTools = toolRole === undefined ? [] : [['tool role', visible(toolRole), 'says which tools may be called']];
  const rows = [...roles.map((role) => ['role', role, permissions[role]]), ...ofTools];
  for (const line of tableLines(rows)) terminal.print(line);
};
