import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A language server that does what its argument says. It is started by its path. */
const [, , script = ''] = process.argv;
const root = process.cwd();
const uri = (path: string): string => pathToFileURL(join(root, path)).href;
const at = (line: number, character: number, end = character + 3): object => ({
  start: { line, character },
  end: { line, character: end },
});

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
}

function send(message: object): void {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

const edit = (path: string, newText = 'new'): object => ({ [uri(path)]: [{ range: at(0, 0), newText }] });

const renames: Readonly<Record<string, unknown>> = {
  'edits-outside': { changes: { ...edit('a.txt'), ...edit('../outside.txt') } },
  'edits-encoded': { changes: { [`${uri('.')}/%2e%2e/outside.txt`]: [{ range: at(0, 0), newText: 'new' }] } },
  'edits-system': { changes: { 'file:///etc/hostname': [{ range: at(0, 0), newText: 'new' }] } },
  'edits-link': { changes: edit('link.txt') },
  'edits-git': { changes: { ...edit('a.txt'), ...edit('.git/config') } },
  'edits-git-spelled': { changes: edit('.GIT/hooks/pre-commit') },
  'edits-git-link': { changes: edit('hooks.txt/pre-commit') },
  'edits-overlap': {
    changes: {
      [uri('a.txt')]: [
        { range: at(0, 0), newText: 'x' },
        { range: at(0, 1), newText: 'y' },
      ],
    },
  },
  'edits-creation': { documentChanges: [{ kind: 'create', uri: uri('created.txt') }] },
  'edits-shape': { changes: { [uri('a.txt')]: 'everything' } },
  'edits-numbers': {
    changes: { [uri('a.txt')]: [{ range: { start: { line: -1, character: 1e99 }, end: {} }, newText: 'x' }] },
  },
  'edits-nothing': null,
  'edits-many': {
    changes: { [uri('a.txt')]: Array.from({ length: 20_001 }, () => ({ range: at(9, 9), newText: '' })) },
  },
  'edits-late': { changes: { ...edit('a.txt'), ...edit('b.txt') } },
};

const asked = new Map<number, (message: Message) => void>();

function answerHover(id: number | undefined): void {
  const answer = (value: string): void => send({ id, result: { contents: { kind: 'plaintext', value } } });
  if (script === 'huge-frame') return void process.stdout.write('Content-Length: 99999999999\r\n\r\n{');
  if (script === 'large-frame')
    return void process.stdout.write(`Content-Length: 3000000\r\n\r\n${'x'.repeat(3_000_000)}`);
  if (script === 'no-length') return void process.stdout.write('Content-Type: text\r\n\r\n{}');
  if (script === 'negative-length') return void process.stdout.write('Content-Length: -1\r\n\r\n{}');
  if (script === 'endless-header') return void process.stdout.write('x'.repeat(100_000));
  if (script === 'not-json') return void process.stdout.write('Content-Length: 4\r\n\r\n{{{{');
  if (script === 'no-object') return void process.stdout.write('Content-Length: 4\r\n\r\nnull');
  if (script === 'silent') return;
  if (script === 'dies') process.exit(3);
  if (script === 'dies-once' && !existsSync('died')) {
    writeFileSync('died', '');
    process.exit(3);
  }
  if (script === 'refuses') return send({ id, error: { code: -32_603, message: 'I do not want to' } });
  if (script === 'strange-answer') return send({ id, result: { contents: [1, null, { value: {} }, 'text'] } });
  if (script === 'in-pieces') {
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: { contents: 'in pieces' } });
    for (const byte of `content-length:${body.length}\r\n\r\n${body}`) process.stdout.write(byte);
    return;
  }
  if (script === 'asks-edit') {
    send({
      id: 900,
      method: 'workspace/applyEdit',
      params: { edit: { changes: { ...edit('a.txt'), ...edit('../outside.txt') } } },
    });
    asked.set(900, ({ result }) => answer(JSON.stringify(result)));
    return;
  }
  if (script === 'floods') {
    for (let index = 0; index < 20_000; index += 1) {
      send({ method: 'textDocument/publishDiagnostics', params: { uri: `file:///${index}`, diagnostics: [{}] } });
    }
    send({ method: 'textDocument/publishDiagnostics', params: 7 });
    send({ method: 'unknown/notification', params: {} });
    send({ id: 901, method: 'unknown/request', params: {} });
  }
  answer(script === 'environment' ? Object.keys(process.env).toSorted().join(' ') : 'hover');
}

function answer({ id, method, result }: Message): void {
  if (method === undefined && id !== undefined) return asked.get(id)?.({ id, result });
  if (method === 'initialize') {
    if (script === 'never-starts') return;
    if (script === 'child' || script === 'far-child') {
      const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: script === 'far-child' });
      writeFileSync('child.pid', String(child.pid));
    }
    return send({ id, result: { capabilities: script === 'pulls' ? { diagnosticProvider: {} } : {} } });
  }
  if (method === 'textDocument/hover') return answerHover(id);
  if (method === 'textDocument/rename') {
    // The file changes between the question and the answer.
    if (script === 'edits-late') writeFileSync('b.txt', 'changed meanwhile\n');
    return send({ id, result: renames[script] });
  }
  if (method === 'textDocument/definition') {
    const places = [
      { uri: uri('a.txt'), range: at(0, 0) },
      { uri: 'file:///etc/hostname', range: at(4, 0) },
      { uri: uri('link.txt'), range: at(0, 0) },
      { uri: 'https://example.com/a', range: at(0, 0) },
      { uri: uri('a.txt'), range: at(-1, 0) },
      { uri: uri('a.txt'), range: at(1_000_000, 5) },
      { uri: 7, range: 'x' },
      null,
    ];
    return send({ id, result: places });
  }
  if (method === 'textDocument/documentSymbol') {
    let nested: object = { name: 'deepest', kind: 1, range: at(0, 0) };
    for (let depth = 0; depth < 200; depth += 1)
      nested = { name: 'deep', kind: 1, range: at(0, 0), children: [nested] };
    const many = Array.from({ length: 30_000 }, (_, index) => ({ name: `s${index}`, kind: 99, range: at(0, 0) }));
    return send({ id, result: [{ name: 7 }, null, nested, ...many] });
  }
  if (id !== undefined) send({ id, result: null });
}

let input = Buffer.alloc(0);
process.stdin.on('data', (chunk: Buffer) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const end = input.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = Number(/content-length: *(\d+)/i.exec(input.subarray(0, end).toString())?.[1]);
    const body = input.subarray(end + 4, end + 4 + length);
    if (body.byteLength < length) return;
    input = input.subarray(end + 4 + length);
    answer(JSON.parse(body.toString()) as Message);
  }
});
