import { KernelError } from '@ravi/kernel';
import type { RegExpEngine } from 'ajv/dist/types/index.js';
import { RE2JS } from 're2js';

/** Longest pattern that is compiled, in characters. */
const maxPatternCharacters = 4_096;
/** Instructions of all patterns of one schema together; counted repetitions multiply them. */
const maxPatternInstructions = 50_000;
/** Instructions times characters of one match: about 0.4 s of a pattern made to be slow. */
const maxMatchSteps = 20_000_000;

/**
 * Creates an engine of regular expressions that run in time linear to the text, for ajv's `code.regExp`: a pattern of a
 * foreign schema cannot stall the host. Look-around and back references are not supported and fail when the schema is
 * compiled. One engine serves one schema.
 */
export function createLinearRegExp(): RegExpEngine {
  let instructions = 0;

  function compile(pattern: string): ReturnType<RegExpEngine> {
    if (pattern.length > maxPatternCharacters) {
      throw new Error(`a pattern is longer than ${maxPatternCharacters} characters (${pattern.length})`);
    }
    const compiled = compilePattern(pattern);
    const size = compiled.programSize();
    instructions += size;
    if (instructions > maxPatternInstructions) {
      throw new Error(`its patterns come to more than ${maxPatternInstructions} instructions`);
    }
    return {
      test(text) {
        if (size * text.length > maxMatchSteps) throw tooLong(pattern, text.length);
        return compiled.matcher(text).find();
      },
      // ajv uses this text as the key of a pattern; without it all patterns would be the same.
      toString: () => `/${pattern}/`,
    } as ReturnType<RegExpEngine>;
  }

  // ajv needs a name for generated stand-alone code, which is never generated here.
  return Object.assign(compile, { code: 'linearRegExp' });
}

function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace('error parsing regexp: ', '') : 'it does not compile';
    throw new Error(`the pattern ${pattern.slice(0, 200)} is not supported (${why})`, { cause });
  }
}

function tooLong(pattern: string, characters: number): KernelError {
  return new KernelError(
    'E_TOOL_INVALID',
    `A text of ${characters} characters is too long to be matched against the pattern ${pattern.slice(0, 200)}`,
  );
}
