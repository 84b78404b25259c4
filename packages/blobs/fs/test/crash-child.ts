// Child process of the crash contract: each file system call is a possible crash point.
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { crashOrders, createCrashPoint, runCrashScenario } from '@ravi/testkit/blob-store-crash-child';

const orders = crashOrders();
const crashPoint = createCrashPoint(orders);

/** Makes each of the functions `names` of `target` pass a crash point first. */
function instrument(target: object, names: readonly string[]): void {
  for (const name of names) {
    const original = Reflect.get(target, name) as (...args: unknown[]) => unknown;
    Reflect.set(target, name, function instrumented(this: unknown, ...args: unknown[]) {
      crashPoint();
      return original.apply(this, args);
    });
  }
}

await using file = await promises.open(process.execPath, 'r');
instrument(Object.getPrototypeOf(file) as object, ['writev', 'writeFile', 'datasync', 'sync']);
instrument(promises, ['mkdir', 'open', 'rename', 'rm', 'rmdir', 'unlink']);
syncBuiltinESMExports();

const { createFsBlobStore } = await import('../src/index.ts');
await runCrashScenario(createFsBlobStore({ root: orders.place }), orders, 10 * 1024 * 1024);
