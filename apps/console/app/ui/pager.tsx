import { useState } from 'react';
import { printable } from '@ravi/approval-web/text';
import { Button } from './button.tsx';
import { formatCount } from './format.ts';
import { textPart } from './json-start.ts';

/** Props of a {@link Pager}. */
export interface PagerProps {
  /** Name of the parts: `Part`. */
  readonly name?: string;
  /** The open part, from 0. */
  readonly part: number;
  readonly parts: number;
  readonly onChange: (part: number) => void;
}

/** Buttons and a number field that open one part of a long content; nothing if there is one part. */
export function Pager({ name = 'Part', part, parts, onChange }: PagerProps) {
  if (parts <= 1) return undefined;
  const open = (wanted: number): void => {
    if (Number.isInteger(wanted) && wanted >= 0 && wanted < parts) onChange(wanted);
  };
  return (
    <div className="pager" role="group" aria-label={`${name}s`}>
      <Button aria-disabled={part === 0} onClick={() => open(part - 1)}>
        Previous
      </Button>
      <label>
        {name}{' '}
        <input
          type="number"
          min={1}
          max={parts}
          value={part + 1}
          onChange={({ target }) => open(target.valueAsNumber - 1)}
        />{' '}
        of {formatCount(parts)}
      </label>
      <Button aria-disabled={part === parts - 1} onClick={() => open(part + 1)}>
        Next
      </Button>
    </div>
  );
}

const partCharacters = 50_000;

/** Text of any length, one part at a time: a browser takes seconds to lay out megabytes. `children` shows a part. */
export function TextParts({
  text,
  children,
}: {
  readonly text: string;
  readonly children: (part: string) => React.ReactNode;
}) {
  const [wanted, open] = useState(0);
  const parts = Math.max(1, Math.ceil(text.length / partCharacters));
  const part = Math.min(wanted, parts - 1);
  const shown = textPart(text, { from: part * partCharacters, to: (part + 1) * partCharacters });
  return (
    <>
      {children(printable(shown))}
      <Pager part={part} parts={parts} onChange={open} />
    </>
  );
}
