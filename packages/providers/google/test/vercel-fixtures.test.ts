import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedDataFile } from '@ravi/testkit';
import type { CollectedAnswer } from '@ravi/testkit';
import { test } from 'vitest';
import { decodeBody, decodeStream } from './decode-recorded.ts';

const index = sharedDataFile('fixtures/INDEX.md');
const folder = index === undefined ? undefined : join(dirname(index), 'responses-vercel-ai', 'google');
// Responses of the Interactions API have another shape.
const files = folder === undefined ? [] : readdirSync(folder).filter((file) => !file.startsWith('interactions'));

function decode(file: string): CollectedAnswer {
  const text = readFileSync(join(folder ?? '', file), 'utf8');
  if (file.endsWith('.json')) return decodeBody(JSON.parse(text));
  return decodeStream(text.split('\n').map((line) => `data: ${line}\n\n`));
}

(folder === undefined ? test.skip : test)(
  'responses of Gemini and Vertex AI are read without an error (needs the shared fixtures)',
  () => {
    const failures = files.flatMap((file) => {
      const { error, blocks } = decode(file);
      if (error !== undefined) return [`${file}: ${error.code} ${error.message}`];
      const broken = blocks.filter((block) => block.type === 'tool_use' && block.invalid !== undefined);
      return broken.length > 0 ? [`${file}: ${JSON.stringify(broken)}`] : [];
    });
    console.log(`${files.length} fixtures read, ${failures.length} failures`);
    assert.deepEqual(failures, []);
    assert.ok(files.length > 4);
  },
);

(folder === undefined ? test.skip : test)(
  'calls without arguments and calls in pieces are complete (needs the shared fixtures)',
  () => {
    const callsIn = (file: string): unknown[] =>
      decode(file).blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.arguments]] : []));
    assert.deepEqual(callsIn('google-stream-no-args-tool-call.chunks.txt')[0], ['read_theme', {}]);
    assert.deepEqual(callsIn('google-stream-tool-call-arguments.chunks.txt')[0], [
      'getWeather',
      { location: 'Boston' },
    ]);
  },
);
