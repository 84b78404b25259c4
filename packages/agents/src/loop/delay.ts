import type { AgentRun } from './agent-run.ts';

/** Waits. @throws KernelError `E_CANCELLED` as soon as the run is cancelled */
export async function delay(run: AgentRun, delayMs: number): Promise<void> {
  run.check();
  if (delayMs <= 0) return;
  const { cancellation } = run.session;
  await new Promise<void>((resolve) => {
    const timer = run.definition.invoker.clock.setTimer(() => {
      forget();
      resolve();
    }, delayMs);
    const forget = cancellation.whenCancelled(() => {
      timer.cancel();
      resolve();
    });
  });
  run.check();
}
