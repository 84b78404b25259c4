import { realpathSync } from 'node:fs';
import { sep } from 'node:path';

/** Folders whose modules are being loaded, with a count for each. */
const loading = new Map<string, number>();
let exit: typeof process.exit | undefined;

/**
 * Runs a function that loads a module of a folder. If a module of the folder calls `process.exit` meanwhile, such as a program that was
 * put there by mistake, it gets an error and the process continues. Other callers end the process as ever.
 */
export async function refuseExit<Value>(folder: string, load: () => Promise<Value>): Promise<Value> {
  const root = realpathSync(folder) + sep;
  loading.set(root, (loading.get(root) ?? 0) + 1);
  if (exit === undefined) {
    ({ exit } = process);
    process.exit = exitUnlessLoading;
  }
  try {
    return await load();
  } finally {
    const left = (loading.get(root) ?? 1) - 1;
    if (left > 0) loading.set(root, left);
    else loading.delete(root);
    if (loading.size === 0 && exit !== undefined) {
      process.exit = exit;
      exit = undefined;
    }
  }
}

function exitUnlessLoading(code?: Parameters<typeof process.exit>[0]): never {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { stack = '' } = new Error('exit');
  Error.stackTraceLimit = stackTraceLimit;
  const isOfModule = [...loading.keys()].some((root) => stack.includes(root) || stack.includes(encodeURI(root)));
  if (isOfModule) throw new Error(`calls process.exit(${code ?? ''}) while it loads`);
  return (exit ?? process.exit)(code);
}
