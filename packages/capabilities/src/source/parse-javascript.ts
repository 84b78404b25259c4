import { Parser } from 'acorn';
import type { Program, Token } from 'acorn';

/** Syntax tree of a script, or its first syntax error. */
export type ParsedJavaScript =
  | {
      readonly status: 'ok';
      readonly program: Program;
      /** True if JavaScript reads comparisons where TypeScript may read a call with type arguments: `f<Row>(x)`. */
      readonly maybeTypeArguments: boolean;
    }
  | ScriptProblem;

/** The first syntax error of a text. */
export interface ScriptProblem {
  readonly status: 'problem';
  readonly message: string;
  /** Offset in the text that was parsed. */
  readonly offset: number;
}

// Acorn parses the text as a script, which may not have `using` at its top level; a function body may.
class BodyParser extends Parser {
  declare readonly scopeStack: readonly unknown[];

  get allowUsing(): boolean {
    return this.scopeStack.length === 1 || super['allowUsing' as never];
  }
}

/** Parses `code` as the body of an asynchronous function. */
export function parseJavaScript(code: string): ParsedJavaScript {
  const watch = createTypeArgumentWatch();
  try {
    const program = BodyParser.parse(code, {
      ecmaVersion: 'latest',
      sourceType: 'script',
      allowAwaitOutsideFunction: true,
      allowReturnOutsideFunction: true,
      allowHashBang: false,
      onToken: watch.see,
    });
    return { status: 'ok', program, maybeTypeArguments: watch.found() };
  } catch (error) {
    return problemOf(error);
  }
}

function createTypeArgumentWatch(): { see(token: Token & { readonly value?: unknown }): void; found(): boolean } {
  let opened = false;
  let closed = false;
  let found = false;
  return {
    see({ type, value }) {
      if (closed && (type.label === '(' || type.label === '`')) found = true;
      closed = opened && (value === '>' || value === '>>' || value === '>>>');
      if (value === '<') opened = true;
    },
    found: () => found,
  };
}

function problemOf(error: unknown): ScriptProblem {
  if (!(error instanceof SyntaxError)) {
    // The parser itself ran out of stack, so the position is unknown.
    return { status: 'problem', message: 'The script is nested too deeply', offset: 0 };
  }
  const message = error.message
    .replace(/ \(\d+:\d+\)$/, '')
    .replace("Unexpected character '@'", "Unexpected character '@': decorators are not available in a script")
    .replace('Not enough stack space to parse input', 'The script is nested too deeply');
  return { status: 'problem', message, offset: (error as SyntaxError & { readonly pos?: number }).pos ?? 0 };
}
