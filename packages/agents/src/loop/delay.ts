import type { AgentRun } from './agent-run.ts';

/** Waits. @throws KernelError `E_CANCELLED` as soon as the run is cancelled */
export async function delay(run: AgentRun, delayMs: number): Promise<void> {
  run.check();
  if (delayMs <= 0) return;
  const { cancellation } = run.session;
  await new Promise<void>((resolve) => {
    const timer = run.definition.invoker.clock.setTimer(() => {
      unsubscribe();
      resolve();
    }, delayMs);
    const unsubscribe = cancellation.onCancel(() => {
      timer.cancel();
      resolve();
    });
  });
  run.check();
}
