import { configSchema } from '@ravi/host';
import { findInstallation } from '@ravi/monolith';
import type { CommandBody } from '../command.ts';

/** Prints the configuration that holds, defaults included and secrets left out, and where it comes from. */
export const showConfig: CommandBody = async (
  { values: { config: configPath }, isJson },
  { cwd, env, print, warn },
) => {
  const installation = await findInstallation({ configPath, cwd, env, isServer: true });
  const { config, dataFolder, configPath: file } = installation;
  const shown = withoutSecrets(config);
  if (isJson) return print(JSON.stringify({ config: shown, dataFolder, ...(file === undefined ? {} : { file }) }));
  warn(file === undefined ? 'No configuration file; the defaults apply.' : `From ${file}`);
  print(JSON.stringify(shown, undefined, 2));
};

/** Prints the JSON Schema of a configuration file. */
export const showConfigSchema: CommandBody = async ({ isJson }, { print }) => {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...configSchema };
  print(JSON.stringify(schema, undefined, isJson ? undefined : 2));
};

const secretName =
  /(?:token|secret|password|passphrase|credential|authorization|(?:access|api|private|signing)_?key)s?$/i;
const left = '[left out]';

/** Returns a copy without the texts of fields with secret-looking names, and without passwords in URLs. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value === 'string') return withoutPassword(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      typeof field === 'string' && secretName.test(name) ? left : withoutSecrets(field),
    ]),
  );
}

function withoutPassword(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/@\s]*):[^@\s]*@/i, `$1:${left}@`);
}
