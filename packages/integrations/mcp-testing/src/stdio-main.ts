// Runs one script of a module over the standard streams: node stdio-main.ts <module> <name>
import { serveStdio } from './scripted-server.ts';
import type { ServerScript } from './scripted-server.ts';

const [, , module = '', name = ''] = process.argv;
const { scripts } = (await import(module)) as { readonly scripts: Readonly<Record<string, ServerScript>> };
const script = scripts[name];
if (script === undefined) throw new TypeError(`There is no script ${name}`);
serveStdio(script);
