import { Copy } from 'lucide-react';
import { IconButton } from './button.tsx';
import { useTell } from './toasts.tsx';

/** Puts the text on the clipboard and says so. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const tell = useTell();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    tell(`Copied ${what}`);
  };
  return <IconButton label={`Copy ${what}`} icon={Copy} onClick={() => void copy()} />;
}
