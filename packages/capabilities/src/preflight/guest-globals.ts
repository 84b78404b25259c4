import { resultTypes } from '../declarations/shared-types.ts';

/**
 * Declarations of the globals of a guest other than the language and its tools: the types that the model reads, and a few
 * more that a guest has. Arguments may be handles at any depth. Values without a schema are `any`, because the check stops
 * only provable mistakes and can prove none about them.
 */
export const guestGlobals: string = `${resultTypes}
interface ToolFunction<Args, Value = any> {
  (...args: {} extends Args ? [args?: Given<Args>] : [args: Given<Args>]): Promise<Value>;
  safe(...args: {} extends Args ? [args?: Given<Args>] : [args: Given<Args>]): Promise<ToolResult<Value>>;
}
type Given<Args> = Args extends string | number | boolean | null | undefined
  ? Args | Handle
  : Args extends object ? { [Key in keyof Args]: Given<Args[Key]> } | Handle : Args;
interface Handle { readonly $artifact: string }
interface Artifact { readonly ref: string; readonly path?: string }
interface ToolResult<Value> { structured?: any; artifactRef?: string; preview?: string }
interface Question { (...question: any[]): Promise<any>; safe(...question: any[]): Promise<any> }
declare const closed: unique symbol;
declare const input: any;
type Writer = (...values: any[]) => void;
declare const console: {
  log: Writer; info: Writer; warn: Writer; error: Writer; debug: Writer;
  dir: Writer; table: Writer; trace: Writer; assert: Writer; group: Writer; groupCollapsed: Writer; groupEnd: Writer;
  count: Writer; countReset: Writer; time: Writer; timeLog: Writer; timeEnd: Writer;
};
declare function setTimeout(callback: (...values: any[]) => void, delayMs?: number, ...values: any[]): number;
declare function setInterval(callback: (...values: any[]) => void, delayMs?: number, ...values: any[]): number;
declare function clearTimeout(id?: number): void;
declare function clearInterval(id?: number): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<Value>(value: Value, options?: any): Value;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare class TextEncoder { readonly encoding: string; encode(text?: string): Uint8Array }
declare class TextDecoder { constructor(label?: string, options?: any); readonly encoding: string; decode(bytes?: any): string }
`;
