import type { HeldDefinition, SourceSummary } from '@ravi/api';
import { KernelError } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import { ask } from '../ask.ts';
import type { CommandBody } from '../command.ts';
import { hasCode } from '../command-error.ts';
import { connect, serverOf } from '../connection/connect.ts';
import type { Connection } from '../connection/connection.ts';
import { statusText } from '../render/format.ts';
import { tableLines } from '../render/table.ts';
import { visible } from '../render/visible.ts';
import type { Terminal } from '../terminal.ts';

/** Lists the sources whose tools other programs run, with their state. */
export const listServers: CommandBody = async (invocation, terminal) => {
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const sources = (await client.sources.list()).items.filter(({ isRemote, state }) => isRemote || state !== 'ready');
  if (invocation.isJson) return terminal.print(JSON.stringify({ sources }));
  if (sources.length === 0) return terminal.warn('There are no MCP servers; add one with "ravi mcp add".');
  for (const line of tableLines(sources.map((source) => rowOf(source, terminal)))) terminal.print(line);
  for (const { name, message, failures = [] } of sources) {
    if (message !== undefined) terminal.warn(visible(`${name}: ${message}`));
    for (const { from, message: reason } of failures) terminal.warn(visible(`${name}: ${from}: ${reason}`));
  }
  for (const { name, tools } of sources) {
    const held = tools.filter(({ held: state }) => isWaiting(state));
    const [first] = held;
    if (held.length > 1)
      terminal.warn(visible(`${held.length} tools of ${name} are held: see "ravi mcp accept --all ${name}"`));
    else if (first !== undefined) terminal.warn(visible(`${first.name} is held: see "ravi mcp accept ${first.name}"`));
  }
};

function rowOf(source: SourceSummary, terminal: Terminal): readonly string[] {
  const { name, state, tools, isTrusted, signIn, place = '' } = source;
  const held = tools.filter((tool) => tool.held !== undefined).length;
  const marks = [
    ...(isTrusted === true ? ['trusted'] : []),
    ...(signIn === undefined ? [] : [signIn.isSignedIn ? 'signed in' : 'not signed in']),
  ];
  return [
    visible(name),
    statusText(state, terminal),
    `${tools.length - held} tools${held === 0 ? '' : `, ${held} held`}`,
    marks.join(', '),
    visible(place),
  ];
}

/** Begins to sign in at a server of a running installation. The browser completes it. */
export const signIn: CommandBody = async (invocation, terminal) => {
  const { name = '' } = invocation.values;
  if (serverOf(invocation, terminal) === undefined) {
    const message = 'A sign-in ends in the browser, at a running server: start "ravi serve" and pass --server <url>';
    throw new KernelError('E_USAGE', message);
  }
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const { url } = await client.sources.signIn(name);
  if (invocation.isJson) return terminal.print(JSON.stringify({ url }));
  terminal.warn(`Open this address in a browser. The console of the server then completes the sign-in:`);
  terminal.print(visible(url));
};

/** Forgets the credentials of the caller at a server. */
export const signOut: CommandBody = async (invocation, terminal) => {
  const { name = '' } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  await client.sources.signOut(name);
  terminal.print(invocation.isJson ? JSON.stringify({ name }) : visible(`Signed out at ${name}`));
};

/** Shows every difference of a held definition, or of all that wait at a server, and accepts or rejects exactly these. */
export const decideDefinition: CommandBody = async (invocation, terminal) => {
  const { tool: name = '' } = invocation.values;
  const isAll = invocation.flags.has('all');
  const decision = invocation.flags.has('reject') ? 'reject' : 'accept';
  const asks = !invocation.flags.has('yes');
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const held = await (isAll ? allOfServer(client, name) : heldDefinitions(client, name));
  const those = held.length === 1 ? 'this definition' : `these ${held.length} definitions`;
  const lines = held.flatMap(differenceLines);
  if (asks && !terminal.isInteractive) {
    for (const line of lines) terminal.print(line);
    throw new KernelError('E_USAGE', `Not a terminal: pass --yes to ${decision} ${those} without being asked`);
  }
  if (asks) {
    for (const line of lines) terminal.warn(line);
    const answer = await ask(`\n${decision === 'accept' ? 'Accept' : 'Reject'} ${those}? (y/n)`);
    if (!['y', 'yes'].includes(answer.toLowerCase())) throw new KernelError('E_CANCELLED', 'Nothing was decided');
  }
  const done = decision === 'accept' ? 'Accepted' : 'Rejected';
  const missed: string[] = [];
  for (const { source, tool, digest } of held) {
    try {
      await client.sources.decide(source, { tool, digest, decision });
    } catch (error) {
      if (held.length === 1 || !isMissed(error)) throw error;
      missed.push(tool);
      continue;
    }
    terminal.print(
      invocation.isJson ? JSON.stringify({ source, tool, digest, decision }) : visible(`${done}: ${tool}`),
    );
  }
  if (missed.length === 0) return;
  const message = `Changed or decided meanwhile, so nothing was decided about ${missed.join(', ')}: look again with "ravi mcp accept ${isAll ? `--all ${name}` : name}"`;
  throw new KernelError('E_STATE_CONFLICT', message);
};

/** True if the definition that was shown is not the one that is held now. */
function isMissed(error: unknown): boolean {
  return hasCode(error, 'E_STATE_CONFLICT') || hasCode(error, 'E_TOOL_UNKNOWN');
}

/** Returns all definitions of a server that wait for a decision, also if a tool has the name of the server. */
async function allOfServer(client: Connection, name: string): Promise<readonly HeldDefinition[]> {
  const waiting = (await client.sources.held(name)).items.filter(({ state }) => isWaiting(state));
  if (waiting.length > 0) return waiting;
  throw new KernelError('E_TOOL_UNKNOWN', `No definition of the server "${name}" waits for a decision`);
}

/** True if a person has not decided about a held definition yet, and can. */
function isWaiting(state: HeldDefinition['state'] | undefined): boolean {
  return state === 'changed' || state === 'new';
}

async function heldDefinitions(client: Connection, name: string): Promise<readonly HeldDefinition[]> {
  const { items } = await client.sources.list();
  const holding = items.filter(({ tools }) => tools.some(({ held }) => held !== undefined));
  const pages = await Promise.all(holding.map((source) => client.sources.held(source.name)));
  const all = pages.flatMap((page) => page.items);
  const found = all.find(({ tool }) => tool === name);
  if (found !== undefined) return [found];
  const ofServer = all.filter(({ source, state }) => source === name && isWaiting(state));
  if (ofServer.length > 0) return ofServer;
  const names = all.map(({ tool }) => tool);
  const near = nearNames(name, names);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `held are: ${names.join(', ') || 'none'}`;
  throw new KernelError('E_TOOL_UNKNOWN', `No definition of "${name}" is held; ${hint}`);
}

/** Returns the lines that show every difference to the accepted definition. */
function differenceLines({ source, tool, state, changes }: HeldDefinition): readonly string[] {
  const lines = changes.flatMap(({ path, before, after }) => [
    '',
    path,
    ...(before === undefined ? [] : before.split('\n').map((line) => `  - ${line}`)),
    ...(after === undefined ? [] : after.split('\n').map((line) => `  + ${line}`)),
  ]);
  return [`${tool} of ${source} (${state})`, ...lines].map(visible);
}
