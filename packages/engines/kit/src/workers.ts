import { KernelError } from '@ravi/kernel';
import type { Logger, RunSignal, RunWorker, WakeOutcome } from '@ravi/kernel';
import { failureText } from './failures.ts';
import { checkInteger, checkName } from './wakes.ts';

const maxVersions = 20;
const maxSlots = 1_000;

/** Checks a worker. @throws KernelError `E_ARGUMENTS_INVALID` that names the field and its limits */
export function checkWorker({ versions, slots }: RunWorker): void {
  checkInteger('slots', slots, 1, maxSlots);
  checkInteger('the number of versions', versions.length, 1, maxVersions);
  for (const version of versions) checkName('version', version);
  if (new Set(versions).size === versions.length) return;
  throw new KernelError('E_ARGUMENTS_INVALID', `versions has an entry twice: ${versions.join(', ').slice(0, 200)}`);
}

/** Checks a signal to send. @throws KernelError `E_ARGUMENTS_INVALID` for a wrong run id or type */
export function checkSignal(signal: RunSignal): void {
  if (signal.type !== 'cancel' && signal.type !== 'input') {
    throw new KernelError('E_ARGUMENTS_INVALID', `A signal is "cancel" or "input", got "${String(signal.type)}"`);
  }
  checkName('runId', signal.runId);
}

/** Returns the time of another look, or `undefined` if there is none. @throws TypeError if a handler returned something else */
export function nextLook(outcome: WakeOutcome | undefined): number | undefined {
  if (outcome?.status === 'done') return undefined;
  if (outcome?.status === 'again' && Number.isSafeInteger(outcome.notBefore) && outcome.notBefore >= 0) {
    return outcome.notBefore;
  }
  throw new TypeError('A handler returns { status: "done" } or { status: "again", notBefore: milliseconds }');
}

/** Passes a signal to workers. One that throws does not keep it from the others; the failure is logged. */
export function notifyWorkers(workers: Iterable<RunWorker>, signal: RunSignal, logger: Logger): void {
  for (const worker of workers) {
    try {
      worker.onSignal?.(signal);
    } catch (error) {
      logger.warn('a worker failed to receive a signal', { signal: signal.type, error: failureText(error) });
    }
  }
}
