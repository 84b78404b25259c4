import { RE2JS } from 're2js';

/** The part of a regular expression that ajv uses. */
interface PatternTest {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Regular expressions that run in time linear to the text, for ajv's `code.regExp`: a pattern of a foreign schema
 * cannot stall the host. Look-around and back references do not exist here and fail when the schema is compiled.
 */
function compileLinear(pattern: string): PatternTest {
  const compiled = RE2JS.compile(pattern);
  return {
    test: (text) => compiled.matcher(text).find(),
    // ajv keys its patterns by this text; without it all of them would be one.
    toString: () => `/${pattern}/`,
  };
}

/** ajv wants a name for generated stand-alone code, which is never generated here. */
export const linearRegExp: typeof compileLinear & { readonly code: string } = Object.assign(compileLinear, {
  code: 'linearRegExp',
});
