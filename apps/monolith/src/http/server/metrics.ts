import { api } from '@ravi/api';
import type { ToolFigures, ToolMetrics } from '../../tools/tool-metrics.ts';
import { implement } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';

const toolCounters: readonly (readonly [name: string, help: string, figure: keyof ToolFigures])[] = [
  ['ravi_tool_calls_total', 'Ended calls of a tool.', 'calls'],
  ['ravi_tool_errors_total', 'Failed calls of a tool.', 'errors'],
  ['ravi_tool_denials_total', 'Denied calls of a tool.', 'denials'],
];

/** Implements `GET /metrics` in the text format of Prometheus. */
export function metricsOperations(toolMetrics: ToolMetrics, activeScripts: () => number): readonly Endpoint[] {
  return [
    implement(api.server.metrics, () => {
      const tools = [...toolMetrics.all()];
      const counters = toolCounters.map(([name, help, figure]) =>
        metric(
          name,
          'counter',
          help,
          tools.map(([tool, figures]) => [`{tool="${escape(tool)}"}`, figures[figure]]),
        ),
      );
      const memory = metric('process_resident_memory_bytes', 'gauge', 'Resident memory.', [
        ['', process.memoryUsage.rss()],
      ]);
      const chains = metric('ravi_chains_active', 'gauge', 'Scripts that this process runs.', [['', activeScripts()]]);
      return new Response([...counters, chains, memory].join(''), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      });
    }),
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
