import type { ArtifactInfo, FileInfo, PreludeHost, ScriptArtifacts } from './artifacts.ts';
import type { PreludeBuiltins } from './builtins.ts';
import type { CallFailure, ScriptErrors } from './errors.ts';

/** Parts of {@link createTools}. */
export interface ToolsParts {
  readonly builtins: PreludeBuiltins;
  readonly host: PreludeHost;
  readonly errors: ScriptErrors;
  readonly artifacts: ScriptArtifacts;
  readonly encode: (args: unknown, tool: string) => string;
  /** Names of the tools that the script may call; empty if the script reads no list of them. */
  readonly toolNames: readonly string[];
}

/**
 * Creates `tools`: every property is a function that calls the tool of that name, with `.safe` for the whole result.
 * `then`, symbols and inherited properties of objects are not tools. `search` and `describe` with a string as their first
 * argument ask the host about tools; `$search` and `$describe`, which cannot be tool names, always do. The own properties
 * are the tools of `toolNames`, for `in` and `Object.keys`. Another name is a function too: its call reports the unknown tool.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createTools(parts: ToolsParts): object {
  const { builtins, host, errors, artifacts, encode, toolNames } = parts;
  const { parse, indexOf, slice, toText, ownKeys, create, defineProperty, freeze, objectPrototype, Proxy, TypeError } =
    builtins;
  const { then } = builtins;
  const nothing = (): void => {};
  const trapNames = [
    'set',
    'has',
    'deleteProperty',
    'ownKeys',
    'getOwnPropertyDescriptor',
    'defineProperty',
    'getPrototypeOf',
    'setPrototypeOf',
    'isExtensible',
    'preventExtensions',
  ];
  const functions = create(null);
  const inherited = create(null);
  const names = ownKeys(objectPrototype);
  for (let index = 0; index < names.length; index++) inherited[names[index] as PropertyKey] = true;
  inherited['then'] = inherited['toJSON'] = true;
  const questions = create(null);
  questions['search'] = questions['$search'] = 'query';
  questions['describe'] = questions['$describe'] = 'name';

  const listed = create(null);
  for (let index = 0; index < toolNames.length; index++) {
    const name = toolNames[index] as string;
    if (inherited[name] === true) continue;
    functions[name] = toolFunction(name);
    defineProperty(listed, name, { value: functions[name], enumerable: true });
  }

  return new Proxy(freeze(listed), {
    get(_, name) {
      if (typeof name !== 'string' || inherited[name] === true) return undefined;
      return (functions[name] ??= toolFunction(name));
    },
  });

  function toolFunction(name: string): unknown {
    const label = 'tools.' + name;
    // Each function has its own await of the host, so that V8's async stack trace leads to the line of the script.
    const call =
      questions[name] === undefined
        ? async (...values: unknown[]): Promise<unknown> =>
            valueOf(await host.call('call', payloadOf(name, label, values)), name)
        : async (...values: unknown[]): Promise<unknown> =>
            valueOf(await host.call(isQuestion(name, values) ? 'ask' : 'call', questionOf(name, label, values)), name);
    const safe = async (...values: unknown[]): Promise<unknown> => {
      let answer: string;
      try {
        answer = await host.call('safe', payloadOf(name, label + '.safe', values));
      } catch (error) {
        return notMade(error);
      }
      return resultOf(answer, name);
    };
    defineProperty(call, 'name', { value: name });
    defineProperty(call, 'safe', { value: freeze(safe), enumerable: true });
    return freeze(call);
  }

  function isQuestion(name: string, values: readonly unknown[]): boolean {
    return typeof values[0] === 'string' || slice(name, 0, 1) === '$';
  }

  // The result of a call that was not sent because its arguments cannot be encoded.
  function notMade(thrown: unknown): object {
    let message = 'The arguments of the call cannot be read';
    let code = 'E_ARGUMENTS_INVALID';
    try {
      const error = thrown as { readonly message?: unknown; readonly code?: unknown };
      message = toText(error.message);
      if (typeof error.code === 'string') code = error.code;
    } catch {
      // The value that a getter throws may not be readable either.
    }
    const error = { code, message, retryable: false };
    const result = { status: 'error', text: message, files: [], error };
    defineProperty(result, 'value', { value: undefined });
    return result;
  }

  // `search(query, options)` and `describe(name, detail, options)` as named arguments.
  function questionOf(name: string, label: string, values: readonly unknown[]): string {
    if (typeof values[0] !== 'string') return payloadOf(name, label, values);
    const args = create(null);
    args[questions[name] as string] = values[0];
    if (typeof values[1] === 'string') args['detail'] = values[1];
    args['options'] = typeof values[1] === 'object' ? values[1] : values[2];
    return name + '\n' + encode(args, label);
  }

  function payloadOf(name: string, label: string, values: readonly unknown[]): string {
    if (values.length > 1)
      throw new TypeError(label + ' takes one object of named arguments, not ' + values.length + ' arguments');
    return name + '\n' + artifacts.asArguments(() => encode(values[0], label));
  }

  // The first character of a reply is the kind of its value.
  function valueOf(answer: string, tool: string): unknown {
    const kind = slice(answer, 0, 1);
    const rest = slice(answer, 1);
    if (kind === 't') return rest;
    if (kind === 'j') return parse(rest);
    if (kind === 'a') return artifacts.open(parse(rest) as ArtifactInfo);
    if (kind === 'p') return unknown();
    if (kind === 'm') return valueOf(slice(rest, indexOf(rest, '\n', 0) + 1), tool);
    if (kind === 'f') {
      const { text, files } = parse(rest) as { readonly text: string; readonly files: unknown[] };
      return { text, files: openFiles(files) };
    }
    throw errors.errorOf(parse(rest) as CallFailure, tool);
  }

  // One line of JSON with the result, then its value as for `valueOf`, if there is one.
  function resultOf(answer: string, tool: string): unknown {
    if (answer === 'p') return unknown();
    const end = indexOf(answer, '\n', 0);
    const result = parse(slice(answer, 0, end)) as { files: unknown[] };
    result.files = openFiles(result.files);
    const value = end + 1 === answer.length ? undefined : valueOf(slice(answer, end + 1), tool);
    defineProperty(result, 'value', { value });
    return result;
  }

  // The unknown result of a call in a dry run. `await` looks for `then`, so that is absent; any other use ends the dry run.
  function unknown(): object {
    const use = (): never => {
      then(host.call('used', ''), nothing, nothing);
      throw new TypeError('The result of this call is not known in a dry run');
    };
    const traps = create(null);
    for (let index = 0; index < trapNames.length; index++) traps[trapNames[index] as string] = use;
    traps['get'] = (_: object, key: PropertyKey): unknown => (key === 'then' ? undefined : use());
    return new Proxy({}, traps);
  }

  function openFiles(files: unknown[]): object[] {
    const opened: object[] = [];
    for (let index = 0; index < files.length; index++) {
      defineProperty(opened, index, {
        value: artifacts.openFile(files[index] as FileInfo),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return opened;
  }
}
