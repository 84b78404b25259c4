/** Call that a case makes. Each contender has its own name and arguments for it. Paths are relative to the workspace, or absolute. */
export type Operation =
  | { readonly does: 'read'; readonly path: string }
  | { readonly does: 'write'; readonly path: string; readonly content: string }
  | { readonly does: 'edit'; readonly path: string; readonly oldText: string; readonly newText: string }
  | { readonly does: 'list'; readonly path: string }
  | { readonly does: 'search'; readonly pattern: string; readonly path?: string }
  | { readonly does: 'find'; readonly pattern: string }
  | { readonly does: 'run'; readonly command: string; readonly limitSeconds?: number }
  | { readonly does: 'fetch'; readonly url: string }
  | { readonly does: 'status' }
  | { readonly does: 'diff' }
  | { readonly does: 'stage'; readonly path: string }
  | { readonly does: 'commit'; readonly message: string };

/** Kind of an operation. */
export type OperationKind = Operation['does'];

/** Result of a call. */
export interface Answer {
  /** Everything that a model or a script gets: the result, or the error. Its first 4 MiB. */
  readonly text: string;
  /** Characters that a model reads, before anything is cut here. */
  readonly modelChars: number;
}

/** Tools of a contender over one workspace. */
export interface OpenTools extends AsyncDisposable {
  /** Makes the call as an agent of the contender does. An error of the tool is an answer. */
  call(operation: Operation): Promise<Answer>;
}

/** Options with which a contender opens its tools. */
export interface OpenOptions {
  /** The workspace. */
  readonly root: string;
  /** Folder for its own files. */
  readonly home: string;
  /** Reports that a person is asked before a call. The person approves. */
  readonly onAsked: () => void;
}

/** Name and arguments of a tool. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Returns the operation of a kind, for a table with an entry for each kind. */
export type OperationOf<Kind extends OperationKind> = Extract<Operation, { readonly does: Kind }>;

/** For each kind that a contender has a tool for, the call of it. */
export type CallTable = {
  readonly [Kind in OperationKind]?: (operation: OperationOf<Kind>) => ToolCall;
};

/** Returns the call of a contender. @throws TypeError for a kind that it has no tool for */
export function toolCallOf(table: CallTable, operation: Operation): ToolCall {
  const make = table[operation.does] as ((operation: Operation) => ToolCall) | undefined;
  if (make === undefined) throw new TypeError(`This contender has no tool for the operation ${operation.does}`);
  return make(operation);
}
