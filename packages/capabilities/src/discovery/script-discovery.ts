import { KernelError } from '@ravi/kernel';
import type { ToolRegistry } from '@ravi/kernel';
import { isRecord } from '../declarations/definitions.ts';
import { toolDirectoryOf } from './tool-directory.ts';
import type { ToolDetail, ToolSearchPage } from './tool-directory.ts';
import { scriptTools } from './visible-tools.ts';
import type { DiscoverySession } from './visible-tools.ts';

/** Maximum number of searches and descriptions per script. They do not count as tool calls. */
export const maxScriptQuestions = 200;

const maxQuestionCharacters = 16_384;

/** Host side of `tools.search` and `tools.describe`. */
export interface ScriptDiscovery {
  /** True if `tools.<name>` with one object of arguments is a question about tools, because no tool has that name. */
  handles(name: string): boolean;
  /**
   * Returns the result of `tools.<name>`. The JSON text of its arguments is hostile until checked.
   * @throws KernelError `E_ARGUMENTS_INVALID`, `E_CANCELLED`, `E_LIMIT_CALLS`, `E_TOOL_UNKNOWN`, and
   * `E_TOOL_NAME_CONFLICT` when a tool has that name
   */
  ask(name: string, args: string): Promise<string | ToolSearchPage>;
}

/** Creates the discovery of one script. It finds the tools that the session may call, one question at a time. */
export function createScriptDiscovery(
  registry: ToolRegistry,
  session: DiscoverySession & { readonly signal: AbortSignal },
  adviceFor: (tool: string) => string = () => '',
): ScriptDiscovery {
  const directory = toolDirectoryOf(registry);
  let questions = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function answer(name: string, args: string): Promise<string | ToolSearchPage> {
    // Yields to the event loop of the host between two questions, even if many are queued.
    await new Promise((resolve) => setImmediate(resolve));
    if (session.signal.aborted) throw new KernelError('E_CANCELLED', 'The script has ended');
    const read = createReader(name, args);
    const tools = scriptTools(registry, session);
    const page = read.count('page', 1);
    if (name.endsWith('describe')) {
      const tool = read.text('name');
      return directory.describe(tool, tools, { detail: read.detail(), page, advice: adviceFor(tool) });
    }
    return directory.search({ query: read.text('query', ''), limit: read.count('limit', 10), page }, tools);
  }

  return {
    handles: (name) => (name === 'search' || name === 'describe') && registry.get(name) === undefined,
    async ask(name, args) {
      if (!/^\$?(?:search|describe)$/.test(name))
        throw new KernelError('E_ARGUMENTS_INVALID', 'Only tools.search and tools.describe ask about tools');
      if (registry.get(name) !== undefined) {
        throw new KernelError(
          'E_TOOL_NAME_CONFLICT',
          `tools.${name} is a tool of this installation and takes one object of named arguments; to find tools, call tools.$${name}`,
        );
      }
      if (++questions > maxScriptQuestions) {
        throw new KernelError(
          'E_LIMIT_CALLS',
          `A script may call tools.search and tools.describe at most ${maxScriptQuestions} times`,
        );
      }
      const answered = last.then(() => answer(name, args));
      last = answered.catch(() => undefined);
      return answered;
    },
  };
}

// Reads arguments from the object itself or from its `options`.
function createReader(name: string, args: string) {
  const given = parseObject(args);
  const options = isRecord(given['options']) ? given['options'] : {};
  const valueOf = (key: string): unknown => (Object.hasOwn(given, key) ? given[key] : options[key]);
  const refuse = (key: string, expected: string): never => {
    throw new KernelError('E_ARGUMENTS_INVALID', `tools.${name}: ${key} must be ${expected}`);
  };
  return {
    text(key: string, absent?: string): string {
      const value = valueOf(key) ?? absent;
      return typeof value === 'string' ? value : refuse(key, 'text');
    },
    count(key: string, absent: number): number {
      const value = valueOf(key) ?? absent;
      return Number.isSafeInteger(value) && (value as number) > 0
        ? (value as number)
        : refuse(key, 'a whole number from 1');
    },
    detail(): ToolDetail {
      const value = valueOf('detail') ?? 'full';
      return value === 'name' || value === 'summary' || value === 'full'
        ? value
        : refuse('detail', '"name", "summary" or "full"');
    },
  };
}

function parseObject(text: string): Record<string, unknown> {
  if (text.length > maxQuestionCharacters) {
    throw new KernelError(
      'E_ARGUMENTS_INVALID',
      `The arguments of tools.search and tools.describe may have at most ${maxQuestionCharacters} characters`,
    );
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // As below.
  }
  throw new KernelError('E_ARGUMENTS_INVALID', 'tools.search and tools.describe take one object of arguments');
}
