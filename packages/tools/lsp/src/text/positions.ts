import { KernelError } from '@ravi/kernel';

/** Place in a text as the protocol counts: lines and UTF-16 code units from 0. */
export interface ProtocolPosition {
  readonly line: number;
  readonly character: number;
}

/** Place in a file as people count: lines and characters from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Place that a caller names: by line and column, or by the text of a symbol and, if it is not the first one, its line. */
export interface AskedPlace {
  readonly line?: number;
  readonly column?: number;
  readonly symbol?: string;
}

/** Text with its lines, as the protocol divides it. */
export class Lines {
  readonly text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.text = text;
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) this.#starts.push(index + end.length);
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Returns a line from 0, without its end. */
  line(index: number): string {
    const start = this.#starts[index] ?? this.text.length;
    return this.text.slice(start, this.#starts[index + 1] ?? this.text.length).replace(/[\r\n]+$/, '');
  }

  /** Returns the offset of a position. A position after the end of its line is the end of the line, as the protocol says. */
  offset({ line, character }: ProtocolPosition): number {
    const start = this.#starts[line] ?? this.text.length;
    return start + Math.min(character, this.line(line).length);
  }

  /** Returns the place of a position as people count, with a character outside of the basic plane as one. */
  place({ line, character }: ProtocolPosition): Place {
    return { line: line + 1, column: Array.from(this.line(line).slice(0, character)).length + 1 };
  }
}

/**
 * Returns the position that a caller named.
 * @throws KernelError `E_ARGUMENTS_INVALID` for a place that the text does not have
 */
export function findPosition(lines: Lines, asked: AskedPlace): ProtocolPosition {
  const { line, column, symbol } = asked;
  if (symbol !== undefined) {
    if (column !== undefined) throw invalid('Name either "symbol" or "column"');
    return findSymbol(lines, symbol, line);
  }
  if (line === undefined || column === undefined) throw invalid('Name "symbol", or "line" and "column"');
  checkLine(lines, line);
  const characters = [...lines.line(line - 1)];
  if (column > characters.length + 1) throw invalid(`Line ${line} has ${characters.length} characters, not ${column}`);
  return { line: line - 1, character: characters.slice(0, column - 1).join('').length };
}

function findSymbol(lines: Lines, symbol: string, line: number | undefined): ProtocolPosition {
  if (line !== undefined) {
    checkLine(lines, line);
    const character = wordIndex(lines.line(line - 1), symbol);
    if (character === -1) throw invalid(`Line ${line} has no ${JSON.stringify(symbol)}`);
    return { line: line - 1, character };
  }
  for (let index = 0; index < lines.count; index += 1) {
    const character = wordIndex(lines.line(index), symbol);
    if (character !== -1) return { line: index, character };
  }
  throw invalid(`The file has no ${JSON.stringify(symbol)}`);
}

function checkLine(lines: Lines, line: number): void {
  if (line > lines.count) throw invalid(`The file has ${lines.count} lines, not ${line}`);
}

const isWordPart = /[\p{L}\p{N}_$]/u;

/** Returns the index of a symbol that is not part of a longer word, or -1. */
function wordIndex(text: string, symbol: string): number {
  for (let at = text.indexOf(symbol); at !== -1; at = text.indexOf(symbol, at + 1)) {
    const before = text.slice(0, at).at(-1) ?? '';
    const after = text[at + symbol.length] ?? '';
    if (!isWordPart.test(before) && !isWordPart.test(after)) return at;
  }
  return -1;
}

function invalid(problem: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', problem, { hadNoEffect: true });
}
