import { api } from '@ravi/api';
import type { CallerAccess } from '@ravi/invoker';
import type { RunEngine } from '@ravi/kernel';
import { otherTools } from '@ravi/support';
import type { ToolFigures, ToolMetrics } from '../../tools/tool-metrics.ts';
import { implement } from '../core/implement.ts';
import type { Caller } from '../access/caller.ts';
import type { Endpoint } from '../core/implement.ts';

const toolCounters: readonly (readonly [name: string, help: string, figure: keyof ToolFigures])[] = [
  ['ravi_tool_calls_total', 'Ended calls of a tool.', 'calls'],
  ['ravi_tool_errors_total', 'Failed calls of a tool.', 'errors'],
  ['ravi_tool_denials_total', 'Denied calls of a tool.', 'denials'],
];

/** Services of {@link metricsOperations}. */
export interface MetricsServices {
  readonly toolMetrics: ToolMetrics;
  readonly toolAccess: CallerAccess;
  /** Number of scripts that this process runs. */
  readonly activeScripts: () => number;
  /** Engine whose wakes are counted, over all processes that share it. */
  readonly engine: Pick<RunEngine, 'figures'> | undefined;
}

/** Implements `GET /metrics` in the text format of Prometheus. It names only tools that the caller may use; operators see all. */
export function metricsOperations(services: MetricsServices): readonly Endpoint[] {
  const { toolMetrics, toolAccess, activeScripts, engine } = services;

  // The sum over all tools is the same for every caller.
  function samplesFor({ principal, roles }: Caller, figure: keyof ToolFigures): readonly Sample[] {
    const filter = roles.some((role) => role !== 'run') ? undefined : toolAccess.toolsOf(principal);
    const sums = new Map<string, number>();
    for (const [tool, figures] of toolMetrics.all()) {
      const label = filter?.has(tool) === false ? otherTools : tool;
      sums.set(label, (sums.get(label) ?? 0) + figures[figure]);
    }
    return [...sums].map(([tool, sum]) => [`{tool="${escape(tool)}"}`, sum]);
  }

  return [
    implement(api.server.metrics, async ({ caller }) => {
      const counters = toolCounters.map(([name, help, figure]) =>
        metric(name, 'counter', help, samplesFor(caller, figure)),
      );
      const memory = metric('process_resident_memory_bytes', 'gauge', 'Resident memory.', [
        ['', process.memoryUsage.rss()],
      ]);
      const chains = metric('ravi_chains_active', 'gauge', 'Scripts that this process runs.', [['', activeScripts()]]);
      return new Response([...counters, chains, ...(await engineMetrics(engine)), memory].join(''), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      });
    }),
  ];
}

// An engine that cannot be reached has no figures; the other figures do not need it.
async function engineMetrics(engine: MetricsServices['engine']): Promise<readonly string[]> {
  const figures = await engine?.figures().catch(() => undefined);
  if (figures === undefined) return [];
  const states = ['ready', 'delayed', 'taken', 'dead'] as const;
  const samples = states.map((state) => [`{state="${state}"}`, figures[state]] as const);
  const oldest = (figures.oldestReadyMs ?? 0) / 1_000;
  return [
    metric('ravi_engine_wakes', 'gauge', 'Wakes of runs, over all servers.', samples),
    metric('ravi_engine_oldest_ready_seconds', 'gauge', 'Wait of the oldest wake that no server has taken.', [
      ['', oldest],
    ]),
  ];
}

type Sample = readonly [labels: string, value: number];

function metric(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

// Models choose names too.
function escape(label: string): string {
  return label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
