import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { KernelError } from '@ravi/kernel';
import type { JsonObject, SandboxLanguage } from '@ravi/kernel';
import type { Terminal } from './terminal.ts';

/** A script as requests carry it. */
export interface Script {
  readonly code: string;
  readonly language: SandboxLanguage;
}

/** Reads a script, `-` for standard input; a `.py` file is Python. @throws KernelError `E_USAGE` */
export async function readScript(file: string, terminal: Terminal): Promise<Script> {
  const code = await readInput(file, `The script ${file}`, terminal);
  return { code, language: extname(file) === '.py' ? 'python' : 'javascript' };
}

/** A JSON object: as it was typed, from the file after `@`, or from standard input for `-`. @throws KernelError `E_USAGE` */
export async function readJsonObject(given: string, what: string, terminal: Terminal): Promise<JsonObject> {
  const isFile = given.startsWith('@');
  const source = given === '-' || isFile ? await readInput(given.replace(/^@/, ''), what, terminal) : given;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (cause) {
    throw new KernelError('E_USAGE', `${what} are not JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new KernelError('E_USAGE', `${what} must be a JSON object, like {"name": "value"}`);
}

async function readInput(file: string, what: string, { cwd }: Terminal): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (cause) {
    throw new KernelError('E_USAGE', `${what} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
