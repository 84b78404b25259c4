import type { HostileCase, HostileClass } from '../hostile-case.ts';

const limits = { memoryBytes: 33_554_432, cpuTimeMs: 1_500 };

const bomb = (code: string): HostileCase => ({
  name: code.replaceAll('\n', '; '),
  code,
  // CPython turns round and round where memory is missing for its own exception: the processor's limit then ends it.
  meets: ['memory', 'cpu'],
  limits,
});

/** More than there is: refused by the language or by the limit. */
const greedy = (code: string, ends: HostileCase['ends'] = ['error', 'limit', 'crashed']): HostileCase => ({
  name: code.replaceAll('\n', '; '),
  code,
  ends,
  limits: { ...limits, wallTimeMs: 3_000 },
});

/** Scripts that take memory without end. */
export const memory: HostileClass = {
  name: 'allocation bombs and files without end',
  kind: 'resource',
  cases: [
    bomb('all = []\nwhile True: all.append("x" * 1000000)'),
    bomb('all = []\nwhile True: all.append({"some": [1, 2, 3]})'),
    bomb('all = []\nwhile True: all.append(bytearray(100000))'),
    bomb('text = "x"\nwhile True: text += text'),
    bomb('all = {}\nn = 0\nwhile True:\n    n += 1\n    all[n] = str(n)'),
    bomb('all = set()\nn = 0\nwhile True:\n    n += 1\n    all.add(("key", n))'),
    bomb('deep = []\nwhile True: deep = [deep, 0, 0, 0]'),
    bomb('return "x" * 10 ** 10'),
    bomb('return [0] * 10 ** 9'),
    bomb('return 1 << 10 ** 11'),
    bomb('import io\nfile = io.BytesIO()\nwhile True: file.write(b"x" * 100000)'),
    bomb(
      'import zlib\nsmall = zlib.compressobj()\ntext = b"".join(small.compress(bytes(10 ** 6)) for _ in range(100)) + small.flush()\nreturn len(zlib.decompress(text))',
    ),

    bomb('import array\nreturn len(array.array("d", [0]) * 10 ** 8)'),
    bomb('import gc\ngc.disable()\nwhile True:\n    ring = []\n    ring.append(ring)'),
    greedy('import mmap\nreturn len(mmap.mmap(-1, 10 ** 10))'),
    greedy('import ctypes\nctypes.memset(libc.malloc(10 ** 9) or 1, 1, 10 ** 9)'),
    greedy(
      'all = []\nwhile True:\n    try:\n        all.append("x" * 100000)\n    except MemoryError:\n        raise ValueError("full")',
      ['error', 'limit'],
    ),
    greedy(
      'import os\nfile = os.open("/workspace/x", os.O_CREAT | os.O_WRONLY)\nwhile True: os.write(file, b"x" * 100000)',
      ['error'],
    ),
    greedy('import os\nn = 0\nwhile True:\n    n += 1\n    os.mkdir(f"/workspace/{n}")', ['error', 'limit', 'crashed']),
    greedy('all = []\nwhile True: all.append(open("/dev/null"))', ['error']),
    greedy(
      'import os\nfor _ in range(20):\n    if os.fork() == 0:\n        kept = bytearray(30 * 10 ** 6)\n        while True: pass\nwhile True: pass',
      ['limit', 'crashed'],
    ),
  ],
};
