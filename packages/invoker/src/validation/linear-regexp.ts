import { KernelError } from '@ravi/kernel';
import { RE2JS } from 're2js';
import type { Run } from './run.ts';

/** Longest pattern that is compiled, in characters. */
const maxPatternCharacters = 4_096;
/** Instructions of all patterns of one schema together; counted repetitions multiply them. */
const maxPatternInstructions = 10_000;
/** Instructions that a pattern and each of its Unicode classes count at least, for the time that compiling them takes. */
const minInstructions = 8;
const unicodeClassInstructions = 100;
/** Units of work of a match, in addition to one for each instruction and character. */
const matchUnits = 20;

/**
 * Creates a compiler of regular expressions that run in time linear to the text: a pattern of a foreign schema cannot stall
 * the host. Look-around and back references are not supported. One compiler serves one schema; matches count as work of its
 * run.
 */
export function createPatternCompiler(run: Run): (source: string) => (text: string) => boolean {
  const compiled = new Map<string, (text: string) => boolean>();
  let instructions = 0;

  function compile(source: string): (text: string) => boolean {
    if (source.length > maxPatternCharacters) {
      throw new Error(`a pattern is longer than ${maxPatternCharacters} characters (${source.length})`);
    }
    // Before the pattern is compiled, because this is what takes time.
    instructions += minInstructions + unicodeClassInstructions * (source.match(/\\p|\(\?[a-z]*i/gi)?.length ?? 0);
    checkInstructions();
    const pattern = compilePattern(source);
    const size = pattern.programSize();
    instructions += size;
    checkInstructions();
    return (text) => {
      charge(size * text.length, source, text.length);
      return pattern.matcher(text).find();
    };
  }

  function checkInstructions(): void {
    if (instructions <= maxPatternInstructions) return;
    throw new Error(`its patterns compile to more than ${maxPatternInstructions} instructions`);
  }

  function charge(steps: number, source: string, characters: number): void {
    try {
      run.charge(matchUnits + steps);
    } catch (cause) {
      throw new KernelError(
        'E_TOOL_INVALID',
        `A text of ${characters} characters is too long to be matched against the pattern ${source.slice(0, 200)}. ${(cause as Error).message}`,
        { cause },
      );
    }
  }

  return (source) => {
    const known = compiled.get(source);
    if (known !== undefined) return known;
    const matches = compile(source);
    compiled.set(source, matches);
    return matches;
  };
}

function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace('error parsing regexp: ', '') : 'it does not compile';
    throw new Error(`the pattern ${pattern.slice(0, 200)} is not supported (${why})`, { cause });
  }
}
