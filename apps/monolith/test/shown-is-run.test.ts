import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { createCliApproval } from '@ravi/approval-cli';
import { displayArguments, shownJson } from '@ravi/approval-kit';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { defineTool } from '@ravi/kernel';
import type { ApprovalRequest, JsonObject, JsonValue } from '@ravi/kernel';
import { createArgumentTree } from '@ravi/testkit';
import { test } from 'vitest';

const trees = 200;
const columns = 100_000;

const question = 'Allow this call? ';
const unread = /answer v to (?:see|read) them before a yes counts/i;

/** A terminal at which a person reads everything and then says yes. Returns what it showed when the yes was typed. */
function createReader(): { readonly input: PassThrough; readonly output: PassThrough; takeShown(): string } {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns });
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += stripVTControlCharacters(chunk.toString());
    if (!shown.endsWith(question)) return;
    const asked = shown.split(question).length - 1;
    if (asked === 1 && unread.test(shown)) input.write('v\n');
    else input.write(asked <= 2 ? 'approve\n' : 'deny asked again after everything was shown\n');
  });
  return {
    input,
    output,
    takeShown() {
      const taken = shown;
      shown = '';
      return taken;
    },
  };
}

/** Returns the arguments that ran with the secrets hidden that the request hid. */
function withHidden(
  value: JsonValue,
  hidden: ReadonlySet<string>,
  shown: JsonValue | undefined,
  pointer = '',
): JsonValue {
  if (hidden.has(pointer)) return shown ?? null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((entry, index) =>
      withHidden(entry, hidden, (shown as readonly JsonValue[])[index], `${pointer}/${index}`),
    );
  }
  const copy: Record<string, JsonValue> = {};
  for (const [key, child] of Object.entries(value as JsonObject)) {
    const step = key.replaceAll('~', '~0').replaceAll('/', '~1');
    copy[key] = withHidden(child, hidden, (shown as JsonObject)[key], `${pointer}/${step}`);
  }
  return copy;
}

/** Canonical JSON (RFC 8785), written without the code under test. */
function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_, child: JsonValue) =>
    typeof child === 'object' && child !== null && !Array.isArray(child)
      ? Object.fromEntries(Object.entries(child as JsonObject).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : child,
  );
}

const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, '');

test(
  `what runs is what was shown, byte for byte, for ${trees} generated argument trees, also at the terminal`,
  { timeout: 120_000 },
  async () => {
    const ran: JsonObject[] = [];
    let hiddenStrings = 0;
    let longest = 0;
    let shownArtifacts = 0;
    for (let seed = 1; seed <= trees; seed++) {
      const { args: generated, inputSchema } = createArgumentTree(seed);
      const artifactStore = createMemoryBlobStore();
      const reader = createReader();
      const requests: ApprovalRequest[] = [];
      const terminal = createCliApproval(reader);
      const tool = defineTool({
        name: 'pay',
        description: 'Pays.',
        risk: 'critical',
        artifacts: 'stream',
        inputSchema,
        execute: (args) => {
          ran.push(args);
          return 'done';
        },
      });
      const invoker = new ToolInvoker({
        registry: new Toolbox([tool]),
        artifactStore,
        approvalHandler: {
          request(request, options) {
            requests.push(request);
            return terminal.request(request, options);
          },
        },
      });
      await using session = invoker.openSession({ principal: 'ada', sessionId: 's' });
      const args = await withArtifacts(generated, async (name) => session.storeArtifact(name, 'text/plain'));
      const result = await invoker.invoke({ name: 'pay', args }, { session });
      assert.equal(result.status, 'ok', `${seed}: ${result.text}`);
      const [request] = requests;
      assert.ok(request);
      const display = displayArguments(request);
      const shown = JSON.parse(shownJson(display)) as JsonObject;
      const hidden = new Set(request.hidden);
      hiddenStrings += hidden.size;
      longest = Math.max(longest, display.rows.length);

      // The bytes that were approved are the canonical JSON of what was shown, and of what ran.
      assert.equal(canonicalJson(shown), canonicalJson(request.args), `seed ${seed}`);
      assert.equal(canonicalJson(withHidden(args, hidden, request.args)), canonicalJson(shown), `seed ${seed}`);
      assert.equal(session.trace[0]?.argsDigest, request.argsDigest);
      const [printedArgs = '', ...printedArtifacts] = reader.takeShown().split('  content of ');
      const printedRows = rowsOf(printedArgs).map((row) => row.replace(/^\s*(?:\d+> )?/, ''));
      assert.equal(withoutSpaces(printedRows.join('')), withoutSpaces(shownJson(display)), `seed ${seed}`);
      const contents = printedArtifacts.map((printed) => rowsOf(printed).join(''));
      assert.deepEqual(contents.toSorted(), artifactNames(generated).toSorted(), `seed ${seed}`);
      shownArtifacts += contents.length;
    }
    assert.equal(ran.length, trees);
    assert.ok(hiddenStrings > 20 && longest > 500, `${hiddenStrings} hidden strings, ${longest} rows`);
    assert.ok(shownArtifacts > 20, `${shownArtifacts} artifacts`);
  },
);

/** Returns the framed rows of a printed text, without the frame. */
const rowsOf = (printed: string): string[] =>
  printed
    .split('\n')
    .filter((row) => row.startsWith('  | '))
    .map((row) => row.slice(4));

/** Returns the names of the artifacts in the tree, each once. The content of each is its name. */
const artifactNames = (value: JsonObject): string[] => [
  ...new Set(JSON.stringify(value).match(/(?<="\$artifact":")[^"]+/g)),
];

/** Stores an artifact for each name in the tree, and returns the tree with its refs. */
async function withArtifacts(value: JsonObject, store: (name: string) => Promise<string>): Promise<JsonObject> {
  const refs = new Map<string, string>();
  for (const name of artifactNames(value)) refs.set(name, await store(name));
  return JSON.parse(
    JSON.stringify(value, (key, child: JsonValue) =>
      key === '$artifact' && typeof child === 'string' ? refs.get(child) : child,
    ),
  ) as JsonObject;
}
