const functionType = `/** A call gives its value and throws a ToolError; \`.safe\` gives the whole result instead. */
interface ToolFunction<Args, Value = any> {
  (...args: {} extends Args ? [args?: Args] : [args: Args]): Promise<Value>;
  safe(...args: {} extends Args ? [args?: Args] : [args: Args]): Promise<ToolResult<Value>>;
}
`;

/** Types of the results and errors of calls, and of `sleep` and `file`. */
export const resultTypes: string = `interface ToolResult<Value = any> {
  status: 'ok' | 'error' | 'denied';
  value?: Value;
  text: string;
  error?: { code: string; message: string; retryable: boolean; retryAfterMs?: number };
  files: Artifact[];
}
/** A large result that stays outside; pass it, at any depth, as an argument of another tool. */
interface Artifact {
  readonly $artifact: string;
  readonly mediaType: string;
  readonly size: number;
  text(): Promise<string>;
  json(): Promise<any>;
  lines(): AsyncIterable<string>;
  slice(offset: number, length: number): Promise<string>;
  bytes(offset?: number, length?: number): Promise<Uint8Array>;
}
declare class ToolError extends Error {
  readonly tool: string;
  readonly status: 'error' | 'denied';
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
}
declare class ToolDeniedError extends ToolError {}
declare class ToolTimeoutError extends ToolError {}
declare class BudgetError extends ToolError {}
declare function sleep(ms: number): Promise<void>;
/** A file that an earlier call made, by its path in /workspace/media. */
declare function file(path: string): Promise<Artifact>;
/** Keeps a file; return { files: [file] } shows it to the model. */
declare const artifacts: {
  put(data: string | Uint8Array | ArrayBuffer | object, about: { name: string; mediaType?: string }): Promise<Artifact>;
};
`;

/** Types at the start of every set of declarations. */
export const commonTypes: string = functionType + resultTypes;

/** Names that the declarations or the language use. */
export const reservedNames: readonly string[] = [
  'ToolFunction',
  'ToolResult',
  'Artifact',
  'ToolError',
  'ToolDeniedError',
  'ToolTimeoutError',
  'BudgetError',
  'Promise',
  'Error',
  'AsyncIterable',
  'Uint8Array',
  'Record',
  'Args',
  'Value',
];
