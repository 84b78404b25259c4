import { useMutation, useQueryClient } from '@tanstack/react-query';
import { MessageCircleQuestion, SendHorizontal } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import type { RunDetails } from '@ravi/api';
import type { Question as AgentQuestion } from '@ravi/kernel';
import { runQuery } from '../api/queries.ts';
import { ravi } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';

/** Open questions of an agent, with a field for each answer; nothing if there are none. */
export function Questions({ run: { id, questions = [] } }: { readonly run: RunDetails }) {
  const client = useQueryClient();
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const send = useMutation({
    mutationFn: () => ravi.runs.resume(id, { answer: answers }),
    onSettled: () => client.invalidateQueries({ queryKey: runQuery(id).queryKey }),
  });
  if (questions.length === 0) return undefined;
  return (
    <form
      className="questions panel"
      aria-label="The agent asks"
      onSubmit={(event) => {
        event.preventDefault();
        if (!send.isPending) send.mutate();
      }}
    >
      {questions.map((question) => (
        <Question
          key={question.callId}
          question={question}
          answer={answers[question.callId] ?? ''}
          onChange={(answer) => setAnswers((before) => ({ ...before, [question.callId]: answer }))}
        />
      ))}
      <ErrorText error={send.error} />
      <div className="approval-actions">
        <Button variant="primary" type="submit" icon={SendHorizontal} isBusy={send.isPending || send.isSuccess}>
          Answer
        </Button>
      </div>
    </form>
  );
}

interface QuestionProps {
  readonly question: AgentQuestion;
  readonly answer: string;
  readonly onChange: (answer: string) => void;
}

function Question({ question: { question, choices = [], agent, runId }, answer, onChange }: QuestionProps) {
  const id = useId();
  return (
    <div className="question">
      {agent !== undefined && runId !== undefined && (
        <p className="muted">
          The sub-agent <Link href={`/runs/${encodeURIComponent(runId)}`}>{printable(agent)}</Link> asks
        </p>
      )}
      <label htmlFor={id} className="question-text">
        <MessageCircleQuestion aria-hidden size={18} />
        {printable(question)}
      </label>
      {choices.length > 0 && (
        <div className="choices" role="group" aria-label="Suggested answers">
          {choices.map((choice) => (
            <button key={choice} type="button" aria-pressed={answer === choice} onClick={() => onChange(choice)}>
              {printable(choice)}
            </button>
          ))}
        </div>
      )}
      <textarea
        id={id}
        rows={2}
        required
        maxLength={100_000}
        placeholder={choices.length > 0 ? 'Or something else' : undefined}
        value={answer}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}
