import { expect, test } from 'vitest';
import { termOf, wordsOf } from '../../src/discovery/words.ts';

const terms = (text: string): readonly (string | undefined)[] => wordsOf(text).map(termOf);

test.each([
  ['get_user_name', ['get', 'user', 'name']],
  ['list-pull-requests.v2', ['list', 'pull', 'requests', 'v2']],
  ['getHTTPResponse', ['get', 'http', 'response', 'gethttpresponse']],
  ['GitHub', ['git', 'hub', 'github']],
  ['eth_getBalance2', ['eth', 'get', 'balance2', 'getbalance2']],
  ['热搜榜', ['热搜', '搜榜']],
  ['größe Çelik', ['größe', 'çelik']],
  ['', []],
])('%j has the words %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test.each([
  ['issue', 'issues'],
  ['company', 'companies'],
  ['list', 'listing'],
  ['create', 'created'],
  ['box', 'boxes'],
  ['stop', 'stopped'],
])('%s and %s are one word to the index', (left, right) => {
  expect(terms(left)).toEqual(terms(right));
});

test.each([
  ['get', 'lose'],
  ['status', 'stat'],
  ['address', 'add'],
  ['bus', 'bu'],
])('%s and %s stay two words', (left, right) => {
  expect(terms(left)).not.toEqual(terms(right));
});

test('synonyms count as one word', () => {
  expect(new Set(terms('delete remove erasing drops')).size).toBe(1);
  expect(terms('kubernetes')).toEqual(terms('k8s'));
});

test('stop words do not count', () => {
  expect(terms('what is the')).toEqual([undefined, undefined, undefined]);
});
