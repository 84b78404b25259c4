import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ContentBlock } from '@ravi/kernel';
import { decodeBody, decodeStream } from '@ravi/provider-testing';
import { sharedDataFile } from '@ravi/testkit';
import type { CollectedAnswer } from '@ravi/testkit';
import { test } from 'vitest';
import { decoderFor } from './settings.ts';

const index = sharedDataFile('fixtures/INDEX.md');
const folder = index === undefined ? '' : join(dirname(index), 'responses-vercel-ai', 'anthropic');
const shared = index === undefined ? test.skip : test;

interface Fixture {
  readonly response: CollectedAnswer;
  /** Types of its content blocks, as the provider names them. */
  readonly types: readonly string[];
}

interface WireBlock {
  readonly type: string;
}

/** Returns the responses in a file; one file contains three responses of a conversation. */
function read(file: string): readonly Fixture[] {
  const text = readFileSync(join(folder, file), 'utf8');
  if (file.endsWith('.json')) {
    const body = JSON.parse(text) as { readonly content: readonly WireBlock[] };
    return [{ response: decodeBody(decoderFor(), body), types: body.content.map(({ type }) => type) }];
  }
  const answers = text.split(/(?<=\{"type":"message_stop".*\}\n)/u).map((response) => response.trim());
  return answers
    .filter((response) => response !== '')
    .map((response) => {
      const lines = response.split('\n');
      const started = lines.map((line) => (JSON.parse(line) as { readonly content_block?: WireBlock }).content_block);
      return {
        response: decodeStream(
          decoderFor(),
          lines.map((line) => `data: ${line}\n\n`),
        ),
        types: started.flatMap((block) => (block === undefined ? [] : [block.type])),
      };
    });
}

const kernelTypes: Readonly<Record<string, ContentBlock['type']>> = {
  text: 'text',
  thinking: 'reasoning',
  redacted_thinking: 'reasoning',
  tool_use: 'tool_use',
};

function typeOf(block: ContentBlock): string {
  return block.type === 'tool_use' && block.invalid !== undefined ? 'invalid' : block.type;
}

function isContainer(block: ContentBlock): boolean {
  return block.type === 'unknown' && (block.raw as unknown as WireBlock).type === 'container';
}

shared('answers with every kind of block are read whole, each block in its place (needs the shared fixtures)', () => {
  const fixtures = readdirSync(folder).flatMap((file) => read(file).map((fixture) => ({ file, ...fixture })));
  const failures = fixtures.flatMap(({ file, response, types }) => {
    if (response.error !== undefined) return [`${file}: ${response.error.code} ${response.error.message}`];
    const wanted = types.map((type) => kernelTypes[type] ?? 'unknown').join();
    const found = response.blocks
      .filter((block) => !isContainer(block))
      .map(typeOf)
      .join();
    return found === wanted ? [] : [`${file}: ${found} instead of ${wanted}`];
  });
  console.log(`${fixtures.length} responses read, ${failures.length} failures`);
  assert.deepEqual(failures, []);
});

shared('the container of a response is kept at its end (needs the shared fixtures)', () => {
  const [fixture] = read('anthropic-code-execution-20260120-prompt-cache.1.chunks.txt');
  const last = fixture?.response.blocks.at(-1);
  assert.ok(last !== undefined && isContainer(last) && last.type === 'unknown');
  assert.match(JSON.stringify(last.raw), /"id":"container_/u);
});
