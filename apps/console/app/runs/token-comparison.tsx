import { formatCount } from '../ui/format.ts';

/** Props of a {@link TokenComparison}. */
export interface TokenComparisonProps {
  readonly used: number;
  readonly plain: number;
}

/** Tokens of the run, compared with those of a plain conversation with one tool call at a time. */
export function TokenComparison({ used, plain }: TokenComparisonProps) {
  const most = Math.max(used, plain, 1);
  const lessPercent = plain === 0 ? 0 : 100 * (1 - used / plain);
  const bars = [
    { name: 'This run', tokens: used, kind: 'used' },
    { name: 'Tool by tool', tokens: plain, kind: 'plain' },
  ];
  return (
    <figure className="comparison panel">
      <figcaption>
        Tokens compared with a plain conversation
        {lessPercent > 0 && <strong>{lessPercent.toFixed(lessPercent > 99 ? 2 : 1)} % less</strong>}
      </figcaption>
      <dl>
        {bars.map(({ name, tokens, kind }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span
                className="comparison-bar"
                data-kind={kind}
                style={{ width: `max(${(70 * tokens) / most}%, 3px)` }}
              />
              {formatCount(tokens)}
            </dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}
