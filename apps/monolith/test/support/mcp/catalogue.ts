import { readFileSync } from 'node:fs';
import { sharedDataFile } from '@ravi/testkit';

interface ListedTool {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
}

const file = sharedDataFile('toolschemas/mcp-tools.jsonl');

/** True if the real tools of the catalogue are not on this machine. */
export const catalogueMissing: boolean = file === undefined;

/**
 * Returns 500 tools as one server lists them: real ones of many servers, those in `wanted` included, with dots and dashes in their names,
 * and twenty whose names are the same after every character that a tool name may not have is replaced.
 */
export function catalogue(wanted: ReadonlySet<string>): readonly object[] {
  const lines = readFileSync(file!, 'utf8').trimEnd().split('\n');
  const all = lines.map((line) => {
    const { server, name, description = '', inputSchema } = JSON.parse(line) as ListedTool;
    return { name: `${server.replace(/^@[^_]+_/, '').replace(/@[\d.]+$/, '')}.${name}`, description, inputSchema };
  });
  const unique = [...new Map(all.map((tool) => [tool.name, tool])).values()];
  const chosen = unique.filter(({ name }) => wanted.has(name));
  const step = Math.floor(unique.length / 480);
  const others = unique.filter(({ name }, index) => !wanted.has(name) && index % step === 0);
  const same = Array.from({ length: 20 }, (_, index) => ({
    name: `report${[' ', '/', ':', '+', '!'][index % 5]}v${Math.floor(index / 5)}`,
    description: `Writes report ${index}.`,
    inputSchema: { type: 'object' },
  }));
  return [...chosen, ...others].slice(0, 480).concat(same);
}
