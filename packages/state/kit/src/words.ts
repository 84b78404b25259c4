import { memoryLimits } from '@ravi/kernel';
import type { QueryWord } from './database.ts';

// Scripts that put no space between words: each character is a word.
const spaceless = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const pattern = new RegExp(String.raw`[${spaceless}]|[[\p{L}\p{N}]--[${spaceless}]]+`, 'gv');
const maxWordLength = 64;
const maxQueryLength = 16 * 1024;
const minBeginningLength = 3;

/**
 * Returns the words of a text, in their order, without case and accents. They have only letters and digits, so that they cannot be
 * syntax of a database. The end of a very long word is left out.
 */
export function wordsOf(text: string): readonly string[] {
  const plain = text.toWellFormed().toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return Array.from(plain.matchAll(pattern), ([word]) => [...word].slice(0, maxWordLength).join(''));
}

/** Returns the first different words of a query, as many as a search looks for. */
export function queryWordsOf(query: string): readonly QueryWord[] {
  const words = [...new Set(wordsOf(query.slice(0, maxQueryLength)))].slice(0, memoryLimits.queryWords);
  return words.map((word) => ({ word, isBeginning: [...word].length >= minBeginningLength }));
}
