import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import { parser as javascript } from '@lezer/javascript';
import { parser as python } from '@lezer/python';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { printable } from '@ravi/approval-web/text';
import { Copy } from 'lucide-react';
import { Button, IconButton } from './button.tsx';
import { useTell } from './toasts.tsx';

/** Languages with syntax colouring. */
export type CodeLanguage = 'javascript' | 'typescript' | 'python' | 'text';

/** Props of a {@link CodeView}. */
export interface CodeViewProps {
  readonly label: string;
  readonly code: string;
  readonly language: CodeLanguage;
  /** Line to mark, counted from 1, and the text below it. */
  readonly mark?: { readonly line: number; readonly message: string };
}

const parsers = {
  javascript: javascript.configure({ dialect: 'ts' }),
  typescript: javascript.configure({ dialect: 'ts' }),
  python,
};

const highlighter = tagHighlighter([
  { tag: tags.keyword, class: 'code-keyword' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], class: 'code-string' },
  { tag: [tags.number, tags.bool, tags.null], class: 'code-number' },
  { tag: tags.comment, class: 'code-comment' },
  { tag: [tags.typeName, tags.className], class: 'code-type' },
  { tag: tags.function(tags.variableName), class: 'code-function' },
  { tag: tags.function(tags.propertyName), class: 'code-function' },
]);

/** Source with line numbers, one line of which may be marked. */
export function CodeView({ label, code, language, mark }: CodeViewProps) {
  const lines = useMemo(() => linesOf(code, language), [code, language]);
  return (
    <pre className="code-view" role="region" aria-label={label} tabIndex={0}>
      <code>
        {lines.map((line, index) => {
          const isMarked = mark?.line === index + 1;
          return (
            <span key={index} className="code-line" data-marked={isMarked || undefined} data-line={index + 1}>
              {line}
              {'\n'}
              {isMarked && <span className="code-message">{`${printable(mark.message)}\n`}</span>}
            </span>
          );
        })}
      </code>
    </pre>
  );
}

function linesOf(source: string, language: CodeLanguage): readonly ReactNode[] {
  const code = printable(source.trimEnd());
  if (language === 'text') return code.split('\n');
  const lines: ReactNode[][] = [[]];
  highlightCode(
    code,
    parsers[language].parse(code),
    highlighter,
    (text, classes) => {
      const line = lines.at(-1) ?? [];
      line.push(
        classes === '' ? (
          text
        ) : (
          <span key={line.length} className={classes}>
            {text}
          </span>
        ),
      );
    },
    () => lines.push([]),
  );
  return lines;
}

/** Props of {@link CopyButton} and {@link CopyTextButton}. */
export interface CopyProps {
  readonly text: string;
  /** Name of the text: `the script`. */
  readonly what: string;
}

/** Icon button that copies the text to the clipboard. */
export function CopyButton({ text, what }: CopyProps) {
  const copy = useCopy();
  return <IconButton label={`Copy ${what}`} icon={Copy} onClick={() => void copy({ text, what })} />;
}

/** Button with a visible name that copies the text to the clipboard. */
export function CopyTextButton({ text, what }: CopyProps) {
  const copy = useCopy();
  return (
    <Button icon={Copy} onClick={() => void copy({ text, what })}>
      Copy {what}
    </Button>
  );
}

function useCopy(): (copied: CopyProps) => Promise<void> {
  const tell = useTell();
  return async ({ text, what }) => {
    try {
      await navigator.clipboard.writeText(text);
      tell(`Copied ${what}`);
    } catch {
      // Browsers give pages without HTTPS no clipboard, except on loopback.
      tell(`This browser does not let the page copy ${what}: select and copy the text`);
    }
  };
}
