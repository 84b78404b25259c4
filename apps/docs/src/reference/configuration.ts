import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configSchema } from '@ravi/host';
import { defaultChainPolicy } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';
import { read, root } from '../repository.ts';
import { schemaHead, schemaRows } from './schema-rows.ts';
import { table } from './table.ts';

interface DescribedPlugin {
  readonly name: string;
  readonly port: string;
  readonly configSchema: JsonSchema;
}

const introduction = `# Configuration

Every key of \`ravi.config.json\` and of the options of each plugin, from the schemas that check them: unknown keys are
errors. [\`@ravi/host\`](../../packages/host/README.md) describes how a configuration is found and what \`use\` may name.
Times are milliseconds, sizes bytes.

\`\`\`json
{
  "tools": ["./tools"],
  "policy": { "maxToolCalls": 100 },
  "plugins": {
    "stateStore": { "use": "@ravi/state-sqlite", "file": "./data/state.db" },
    "blobStore": { "use": "@ravi/blob-fs", "root": "./data/blobs" }
  }
}
\`\`\``;

/** The page about the configuration. */
export async function configurationPage(): Promise<string> {
  const { policy: _policy, plugins, ...rest } = configSchema['properties'] as Readonly<Record<string, JsonSchema>>;
  const keys = schemaRows({ type: 'object', properties: rest });
  const ports = Object.entries(plugins?.['properties'] as Readonly<Record<string, JsonSchema>>).map(
    ([port, schema]) => [
      `\`plugins.${port}\``,
      schema['type'] === 'array' ? 'list of plugins' : 'then' in schema ? 'plugin, or a list of them' : 'plugin',
    ],
  );
  const described = (await adapters()).map(
    ({ folder, plugin }) =>
      `### ${plugin.name}\n\n\`"use": "@ravi/${plugin.name}"\` for \`${plugin.port}\`; see [its page](../../${folder}/README.md).\n\n${optionsOf(plugin)}`,
  );
  return [
    introduction,
    `## Server, scripts, agent and tools\n\n${table(schemaHead, keys)}`,
    `## Policy\n\nThe fields of \`policy\`, the limits of every session. A request may tighten them, never loosen them.\n\n${table(
      ['key', 'default', 'meaning'],
      policyRows(),
    )}`,
    `## Plugins\n\n${table(['key', 'takes'], ports)}`,
    ...described,
  ].join('\n\n');
}

function optionsOf({ configSchema: schema }: DescribedPlugin): string {
  const rows = schemaRows(schema);
  return rows.length === 0 ? 'No options.' : table(schemaHead, rows);
}

/** The policy is checked by code, not by a schema. The meaning of a field is the comment above it in the contract. */
function policyRows(): readonly (readonly string[])[] {
  const source = read('packages/kernel/src/call/chain-policy.ts');
  return Object.entries(defaultChainPolicy).map(([field, value]) => {
    const [, meaning] = new RegExp(`/\\*\\* ([^\\n]+) \\*/\\n  readonly ${field}:`).exec(source) ?? [];
    if (meaning === undefined) throw new Error(`ChainPolicy has no comment on ${field}`);
    return [`\`policy.${field}\``, `\`${JSON.stringify(value)}\``, meaning];
  });
}

async function adapters(): Promise<readonly { readonly folder: string; readonly plugin: DescribedPlugin }[]> {
  const files = globSync('packages/{state,blobs,sandboxes,approvals,providers,integrations,tools}/*/src/index.ts', {
    cwd: root,
  }).toSorted();
  const described = await Promise.all(
    files.map(async (file) => {
      const module: { readonly default?: DescribedPlugin } = await import(join(root, file));
      return { folder: dirname(dirname(file)).replaceAll('\\', '/'), plugin: module.default };
    }),
  );
  return described.flatMap(({ folder, plugin }) => (plugin === undefined ? [] : [{ folder, plugin }]));
}
