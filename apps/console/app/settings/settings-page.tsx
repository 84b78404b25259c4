import { printable } from '@ravi/approval-web/text';
import { useQuery } from '@tanstack/react-query';
import type { AdapterHealth, Settings } from '@ravi/api';
import { settingsQuery } from '../api/queries.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { Facts } from '../ui/facts.tsx';
import { formatBytes, formatCount, formatDuration } from '../ui/format.ts';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';

const refreshMs = 10_000;

/** Page of the plugins of this server and their health. */
export function SettingsPage() {
  const query = useQuery({ ...settingsQuery(), refetchInterval: refreshMs });
  return (
    <>
      <PageHeader
        title="Settings"
        lead="Installed plugins and their health. Options are not shown because they may hold secrets."
      />
      <Loaded query={query}>{(settings) => <SettingsContent settings={settings} />}</Loaded>
    </>
  );
}

function SettingsContent({ settings }: { readonly settings: Settings }) {
  const { plugins, health, policy, versions, model, warnings } = settings;
  return (
    <>
      <Warnings warnings={warnings} />
      {model !== undefined && (
        <section className="panel" aria-labelledby="model-title">
          <h2 className="panel-title" id="model-title">
            Model
          </h2>
          <Facts facts={{ Name: <code>{model.id}</code>, Kind: model.isDemo ? 'scripted demonstration' : 'real' }} />
          {model.isDemo && (
            <p className="field-hint">
              No key is set, so a script plays the model. Set <code>OPENAI_API_KEY</code>,{' '}
              <code>ANTHROPIC_API_KEY</code>, <code>GOOGLE_API_KEY</code> or <code>OPENAI_BASE_URL</code> and start
              again for a real one.
            </p>
          )}
        </section>
      )}
      <section aria-labelledby="plugins-title">
        <h2 className="section-title" id="plugins-title">
          Plugins
        </h2>
        <ul className="plugins">
          {plugins.map((plugin) => (
            <li key={`${plugin.port} ${plugin.package}`} className="panel">
              <PluginCard plugin={plugin} health={health[plugin.port]} />
            </li>
          ))}
        </ul>
      </section>
      {policy !== undefined && (
        <section className="panel" aria-labelledby="policy-title">
          <h2 className="panel-title" id="policy-title">
            Limits of a run
          </h2>
          <Facts
            facts={Object.fromEntries(Object.entries(policy).map(([name, value]) => [name, limitText(name, value)]))}
          />
        </section>
      )}
      <section className="panel" aria-labelledby="versions-title">
        <h2 className="panel-title" id="versions-title">
          Versions
        </h2>
        <Facts facts={versions} />
      </section>
    </>
  );
}

function Warnings({ warnings }: Pick<Settings, 'warnings'>) {
  if (warnings.length === 0) return null;
  return (
    <ul className="notice" role="status">
      {warnings.map((warning) => (
        <li key={warning}>{printable(warning)}</li>
      ))}
    </ul>
  );
}

/** Returns a limit in the unit of its name. */
function limitText(name: string, value: number | string): string {
  if (typeof value === 'string') return value;
  if (name.endsWith('Ms')) return formatDuration(value);
  return name.endsWith('Bytes') ? formatBytes(value) : formatCount(value);
}

interface PluginCardProps {
  readonly plugin: Settings['plugins'][number];
  readonly health: AdapterHealth | undefined;
}

function PluginCard({ plugin: { port, package: name }, health }: PluginCardProps) {
  return (
    <>
      <div className="plugin-head">
        <h3>{port}</h3>
        {health !== undefined && <StatusBadge status={health.status} />}
      </div>
      <p>
        <code>{name}</code>
      </p>
      {health !== undefined && <p className="field-hint">answered in {formatDuration(health.durationMs)}</p>}
    </>
  );
}
