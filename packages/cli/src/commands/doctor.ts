import { pluginPorts } from '@ravi/host';
import type { Environment, PluginEntry } from '@ravi/host';
import { silentLogger, systemClock } from '@ravi/kernel';
import type { PortName } from '@ravi/kernel';
import {
  chooseModel,
  findInstallation,
  findInvalidSchemas,
  guideWarnings,
  openInstalledPlugins,
  openMonolith,
  tokens,
} from '@ravi/monolith';
import type { Installation, InstallationOptions, Monolith } from '@ravi/monolith';
import type { Settings } from '@ravi/api';
import { connect, serverOf } from '../connection/connect.ts';
import type { CommandBody, Invocation } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { probe } from '../probe.ts';
import { statusText } from '../render/format.ts';
import { visible } from '../render/visible.ts';
import type { Terminal } from '../terminal.ts';

/** Result of one check. */
export interface CheckResult {
  readonly check: string;
  readonly status: 'ok' | 'failed';
  /** The finding, or the problem and how to fix it. */
  readonly message: string;
}

const leastNodeMajor = 24;

/** Checks everything that a run needs, here or on a server, one thing at a time, and prints problems with their fix. */
export const runDoctor: CommandBody = async (invocation, terminal) => {
  const { values, isJson } = invocation;
  const { config } = values;
  const isRemote = serverOf(invocation, terminal) !== undefined;
  const results: CheckResult[] = [];
  for await (const result of isRemote ? serverChecks(invocation, terminal) : checks(config, terminal)) {
    results.push(result);
    if (isJson) continue;
    const finding = visible(`${result.check}: ${result.message}`);
    terminal.print(`${statusText(result.status.padEnd(6), terminal)}  ${finding}`);
  }
  const isOk = results.every(({ status }) => status === 'ok');
  if (isJson) terminal.print(JSON.stringify({ status: isOk ? 'ok' : 'failed', checks: results }));
  return isOk ? exitCode.ok : exitCode.failed;
};

async function* checks(config: string | undefined, { cwd, env }: Terminal): AsyncGenerator<CheckResult> {
  yield check('node', checkNode);
  let installation: Installation | undefined;
  yield check('configuration', async () => {
    installation = await findEveryPort({ configPath: config, cwd, env });
    return installation.configPath ?? 'no configuration file; the defaults apply';
  });
  if (installation === undefined) return;
  let isComplete = true;
  for (const [port, entry] of entriesOf(installation)) {
    const result = await check(`${port} ${entry.use}`, () =>
      checkPlugin(port, entry, installation as Installation, env),
    );
    isComplete &&= result.status === 'ok';
    yield result;
  }
  if (!isComplete) return;
  let monolith: Monolith | undefined;
  try {
    yield check('tools', async () => {
      monolith = await openMonolith({ configPath: config, cwd, env });
      return checkTools(monolith);
    });
    if (monolith !== undefined) {
      yield checkSkills(monolith);
      const { ruleWarnings } = monolith;
      yield check('rules about tools', () => checkRules(ruleWarnings));
    }
  } finally {
    await monolith?.[Symbol.asyncDispose]();
  }
}

// A server has checked its own configuration; its adapters report their health.
async function* serverChecks(invocation: Invocation, terminal: Terminal): AsyncGenerator<CheckResult> {
  yield check('node', checkNode);
  await using client = await connect(invocation, terminal);
  const reached = await check('server', async () => `answers, with ${(await client.server.health()).tools} tools`);
  yield reached;
  if (reached.status === 'failed') return;
  let adapters: Settings['health'] = {};
  let warnings: readonly string[] = [];
  yield check('access', async () => {
    ({ health: adapters, warnings = [] } = await client.server.settings());
    return 'the server accepts this caller';
  });
  yield check('skills', async () => {
    const { items, failures = [] } = await client.skills.list();
    const countOf = (kind: string): number => items.filter((item) => item.kind === kind).length;
    const counts = { skill: countOf('skill'), kit: countOf('kit'), 'tool skill': countOf('tool-skill') };
    return skillReport(
      counts,
      failures,
      items.flatMap(({ warnings }) => warnings),
    );
  });
  for (const [port, { status, durationMs }] of Object.entries(adapters)) {
    const message = `${status === 'ok' ? 'healthy' : 'not available; see the log of the server'}, checked in ${durationMs.toFixed(1)} ms`;
    yield { check: port, status: status === 'ok' ? 'ok' : 'failed', message };
  }
  yield check('rules about tools', () => checkRules(warnings));
}

/** Returns the plugins of a command and of a server together, because each leaves another port empty. */
async function findEveryPort(where: InstallationOptions): Promise<Installation> {
  const here = await findInstallation(where);
  const server = await findInstallation({ ...where, isServer: true });
  return { ...here, config: { ...here.config, plugins: { ...here.config.plugins, ...server.config.plugins } } };
}

async function check(name: string, body: () => string | Promise<string>): Promise<CheckResult> {
  try {
    return { check: name, status: 'ok', message: await body() };
  } catch (error) {
    return { check: name, status: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

function checkNode(): string {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= leastNodeMajor) return node;
  throw new Error(`Node ${node} is too old, install Node ${leastNodeMajor} or newer`);
}

function entriesOf({ config }: Installation): readonly (readonly [PortName, PluginEntry])[] {
  return (Object.entries(config.plugins) as [PortName, PluginEntry | readonly PluginEntry[]][]).flatMap(
    ([port, entries]) => [entries].flat().map((entry) => [port, entry] as const),
  );
}

async function checkPlugin(
  port: PortName,
  entry: PluginEntry,
  { baseDir, config }: Installation,
  env: Environment,
): Promise<string> {
  // A source may ask a model.
  const { modelProvider = [] } = config.plugins;
  const plugins =
    port === 'toolSource'
      ? { modelProvider, toolSource: [entry] }
      : { [port]: pluginPorts[port] === 'list' ? [entry] : entry };
  const otherModels = [chooseModel(env, { script: undefined })];
  const context = { baseDir, env, clock: systemClock, logger: silentLogger, otherModels };
  await using opened = await openInstalledPlugins(plugins, context);
  // Awaited here: a promise that is returned as it is would outlive what it uses.
  return await probe(port, opened);
}

/** @throws Error that names the rules without an effect */
function checkRules(warnings: readonly string[]): string {
  if (warnings.length === 0) return 'each of them has an effect';
  throw new Error(warnings.join('; '));
}

async function checkTools(monolith: Monolith): Promise<string> {
  const report = monolith.toolReport;
  const toolbox = monolith.container.resolve(tokens.toolbox);
  const failures = [...report.failures];
  for await (const failure of findInvalidSchemas(toolbox)) failures.push(failure);
  if (failures.length > 0) throw new Error(failures.map(({ from, message }) => `${from}: ${message}`).join('; '));
  const size = `${toolbox.size} tools`;
  const { undeclaredRisk } = report;
  return undeclaredRisk.length === 0 ? size : `${size}; no risk declared by ${undeclaredRisk.join(', ')}`;
}

function checkSkills({ container }: Monolith): Promise<CheckResult> {
  return check('skills', () => {
    const guides = container.resolve(tokens.guides);
    const skills = container.resolve(tokens.skills);
    const { kits, toolSkills } = guides.current;
    const counts = { skill: skills.all.length, kit: kits.length, 'tool skill': toolSkills.length };
    const failures = [...skills.failures, ...guides.failures];
    return skillReport(counts, failures, guideWarnings(guides, container.resolve(tokens.toolbox)));
  });
}

/** Returns the number of each kind and the warnings. @throws Error for files that could not be loaded */
function skillReport(
  counts: Readonly<Record<string, number>>,
  failures: readonly { readonly from: string; readonly message: string }[],
  warnings: readonly string[],
): string {
  if (failures.length > 0) throw new Error(failures.map(({ from, message }) => `${from}: ${message}`).join('; '));
  const sizes = Object.entries(counts).map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`);
  return [sizes.join(', '), ...warnings].join('; ');
}
