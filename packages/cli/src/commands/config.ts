import { configSchema } from '@ravi/host';
import { findInstallation } from '@ravi/monolith';
import type { CommandBody } from '../command.ts';
import { withoutSecrets } from '../render/without-secrets.ts';

/** Prints the configuration that holds, defaults included and secrets left out, and where it comes from. */
export const showConfig: CommandBody = async (
  { values: { config: configPath }, isJson },
  { cwd, env, print, warn },
) => {
  const installation = await findInstallation({ configPath, cwd, env, isServer: true });
  const { config, dataFolder, configPath: file } = installation;
  const shown = withoutSecrets(config);
  if (isJson) return print(JSON.stringify({ config: shown, dataFolder, ...(file === undefined ? {} : { file }) }));
  warn(file === undefined ? 'No file, the defaults hold.' : `From ${file}`);
  print(JSON.stringify(shown, undefined, 2));
};

/** Prints the JSON Schema of a configuration file. */
export const showConfigSchema: CommandBody = async ({ isJson }, { print }) => {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...configSchema };
  print(JSON.stringify(schema, undefined, isJson ? undefined : 2));
};
