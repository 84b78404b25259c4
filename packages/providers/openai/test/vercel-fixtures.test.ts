import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedDataFile } from '@ravi/testkit';
import type { CollectedAnswer } from '@ravi/testkit';
import { test } from 'vitest';
import { decodeBody, decodeStream } from './decode-recorded.ts';

const index = sharedDataFile('fixtures/INDEX.md');
const folders = {
  responses: ['openai', 'open-responses'],
  chat: ['alibaba', 'deepseek', 'groq', 'mistral', 'moonshotai', 'openai-compatible', 'perplexity', 'xai'],
} as const;

interface Fixture {
  readonly name: string;
  readonly api: 'responses' | 'chat';
  readonly text: string;
}

const fixtures: Fixture[] =
  index === undefined
    ? []
    : (['responses', 'chat'] as const).flatMap((api) =>
        folders[api].flatMap((folder) => {
          const path = join(dirname(index), 'responses-vercel-ai', folder);
          return (
            readdirSync(path)
              // Written by hand, and its first line is truncated.
              .filter((file) => file !== 'parallel-tool-call-wrapper.1.chunks.txt')
              .map((file) => ({
                name: `${folder}/${file}`,
                // Some folders contain both APIs.
                api: isResponses(readFileSync(join(path, file), 'utf8')) ? ('responses' as const) : ('chat' as const),
                text: readFileSync(join(path, file), 'utf8'),
              }))
          );
        }),
      );

function isResponses(text: string): boolean {
  return /"object":\s*"response"|"type":\s*"response\./u.test(text);
}

function decode({ name, api, text }: Fixture): CollectedAnswer {
  if (name.endsWith('.json')) return decodeBody(api, JSON.parse(text));
  if (name.endsWith('.sse')) return decodeStream(api, [text]);
  return decodeStream(
    api,
    text
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [`data: ${line}\n\n`]))
      .concat('data: [DONE]\n\n'),
  );
}

(index === undefined ? test.skip : test)(
  'responses of many servers are read without an error (needs the shared fixtures)',
  () => {
    const failures = fixtures.flatMap((fixture) => {
      const { error, blocks } = decode(fixture);
      if (/-error\.|-error\.json|error\.json/u.test(fixture.name))
        return error === undefined ? [`${fixture.name}: read`] : [];
      if (error !== undefined) return [`${fixture.name}: ${error.code} ${error.message}`];
      const broken = blocks.filter((block) => block.type === 'tool_use' && block.invalid !== undefined);
      return broken.length > 0 ? [`${fixture.name}: ${JSON.stringify(broken)}`] : [];
    });
    console.log(`${fixtures.length} fixtures read, ${failures.length} failures`);
    assert.deepEqual(failures, []);
  },
);
