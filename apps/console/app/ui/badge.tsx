import type { ToolRisk } from '@ravi/kernel';

/** Meaning of a colour. */
export type Tone = 'good' | 'bad' | 'warning' | 'active' | 'quiet';

const tones: Readonly<Record<string, Tone>> = {
  ok: 'good',
  ready: 'good',
  connecting: 'active',
  'sign-in': 'warning',
  changed: 'warning',
  new: 'warning',
  rejected: 'bad',
  completed: 'good',
  approved: 'good',
  consumed: 'good',
  running: 'active',
  active: 'active',
  started: 'active',
  queued: 'quiet',
  paused: 'warning',
  blocked: 'warning',
  pending: 'warning',
  parked: 'warning',
  timeout: 'bad',
  failed: 'bad',
  error: 'bad',
  unavailable: 'bad',
  denied: 'bad',
  cancelled: 'quiet',
  expired: 'quiet',
  withdrawn: 'quiet',
  unknown: 'warning',
  interrupted: 'warning',
  crashed: 'bad',
  alive: 'good',
  dead: 'bad',
  ended: 'good',
  'run-scope': 'good',
  modified: 'good',
  skipped: 'quiet',
  'no-handler': 'bad',
};

/** Returns the tone of a status of any kind of thing. */
export function toneOf(status: string): Tone {
  return tones[status] ?? 'quiet';
}

/** Badge with a status in its colour. */
export function StatusBadge({ status }: { readonly status: string }) {
  return (
    <span className="badge" data-tone={toneOf(status)}>
      {status}
    </span>
  );
}

const riskTones: Readonly<Record<ToolRisk, Tone>> = { safe: 'quiet', high: 'warning', critical: 'bad' };

/** Badge with the risk of a call. */
export function RiskBadge({ risk }: { readonly risk: ToolRisk }) {
  return (
    <span className="badge outlined" data-tone={riskTones[risk]}>
      {risk === 'safe' ? 'safe' : `${risk} risk`}
    </span>
  );
}
