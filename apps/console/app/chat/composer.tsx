import { SendHorizontal } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';

/** Props of a {@link Composer}. */
export interface ComposerProps {
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** Sends the text. The field keeps it unless this resolves. */
  readonly onSend: (task: string) => Promise<unknown>;
}

/** Text field for messages to the agent: Enter sends, Shift and Enter starts a new line. */
export function Composer({ isBusy, error, onSend }: ComposerProps) {
  const [text, setText] = useState('');

  async function send(): Promise<void> {
    if (isBusy || text.trim() === '') return;
    await onSend(text).then(
      () => setText(''),
      // The error is shown next to the text, which stays.
      () => undefined,
    );
  }

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <ErrorText error={error} />
      <div className="composer-box">
        <textarea
          aria-label="Message to the agent"
          placeholder="Ask for something, or give a task"
          rows={2}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
        <Button variant="primary" type="submit" icon={SendHorizontal} isBusy={isBusy}>
          Send
        </Button>
      </div>
    </form>
  );
}
