import type { ArtifactInfo, PreludeHost, ScriptArtifacts } from './artifacts.ts';
import type { PreludeBuiltins } from './builtins.ts';
import type { CallFailure, ScriptErrors } from './errors.ts';

/** The parts that `tools` is made of. */
export interface ToolsParts {
  readonly builtins: PreludeBuiltins;
  readonly host: PreludeHost;
  readonly errors: ScriptErrors;
  readonly artifacts: ScriptArtifacts;
  readonly encode: (args: unknown, tool: string) => string;
}

/**
 * Makes `tools`: every property is a function that calls the tool of that name, with `.safe` for the whole result.
 * `then`, symbols and what every object inherits are no tools.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createTools(parts: ToolsParts): object {
  const { builtins, host, errors, artifacts, encode } = parts;
  const { parse, indexOf, slice, ownKeys, create, defineProperty, freeze, objectPrototype, Proxy, TypeError } =
    builtins;
  const functions = create(null);
  const inherited = create(null);
  const names = ownKeys(objectPrototype);
  for (let index = 0; index < names.length; index++) inherited[names[index] as PropertyKey] = true;
  inherited['then'] = inherited['toJSON'] = true;

  return new Proxy(freeze(create(null)), {
    get(_, name) {
      if (typeof name !== 'string' || inherited[name] === true) return undefined;
      return (functions[name] ??= toolFunction(name));
    },
  });

  function toolFunction(name: string): unknown {
    const label = 'tools.' + name;
    // Each function awaits the host by itself: V8's async stack trace then leads to the script's own line.
    const call = async (...values: unknown[]): Promise<unknown> =>
      valueOf(await host.call('call', payloadOf(name, label, values)), name);
    const safe = async (...values: unknown[]): Promise<unknown> =>
      resultOf(await host.call('safe', payloadOf(name, label + '.safe', values)), name);
    defineProperty(call, 'name', { value: name });
    defineProperty(call, 'safe', { value: freeze(safe), enumerable: true });
    return freeze(call);
  }

  function payloadOf(name: string, label: string, values: readonly unknown[]): string {
    if (values.length > 1)
      throw new TypeError(label + ' takes one object of named arguments, not ' + values.length + ' arguments');
    return name + '\n' + artifacts.asArguments(() => encode(values[0], label));
  }

  // The first character of an answer says what follows it.
  function valueOf(answer: string, tool: string): unknown {
    const kind = slice(answer, 0, 1);
    const rest = slice(answer, 1);
    if (kind === 't') return rest;
    if (kind === 'j') return parse(rest);
    if (kind === 'a') return artifacts.open(parse(rest) as ArtifactInfo);
    if (kind === 'f') {
      const { text, files } = parse(rest) as { readonly text: string; readonly files: unknown[] };
      return { text, files: openFiles(files) };
    }
    throw errors.errorOf(parse(rest) as CallFailure, tool);
  }

  // One line of JSON with the result, then its value as in `valueOf`, if it has one.
  function resultOf(answer: string, tool: string): unknown {
    const end = indexOf(answer, '\n', 0);
    const result = parse(slice(answer, 0, end)) as { files: unknown[] };
    result.files = openFiles(result.files);
    const value = end + 1 === answer.length ? undefined : valueOf(slice(answer, end + 1), tool);
    defineProperty(result, 'value', { value });
    return result;
  }

  function openFiles(files: unknown[]): object[] {
    const opened: object[] = [];
    for (let index = 0; index < files.length; index++) {
      const {
        artifactRef: ref,
        path,
        mediaType,
        bytes,
      } = files[index] as ArtifactInfo & { readonly artifactRef: string };
      defineProperty(opened, index, {
        value: artifacts.openFile({ ref, mediaType, bytes, ...(path === undefined ? {} : { path }) }),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return opened;
  }
}
