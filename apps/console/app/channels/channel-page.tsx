import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Radio, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { ChannelMessage } from '@ravi/kernel';
import { Link, useLocation } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import { ravi } from '../api/client.ts';
import { channelMessagesQuery } from '../api/queries.ts';
import { LabelledField } from '../forms/labelled-field.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Moment } from '../ui/facts.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useTell } from '../ui/toasts.tsx';

const refreshMs = 2_000;

const columns: readonly Column<ChannelMessage>[] = [
  { name: 'Number', isNumber: true, isMinor: true, cell: ({ number }) => number },
  {
    name: 'From',
    cell: ({ from, principal }) => (
      <>
        {printable(from)}
        <span className="cell-note">for {printable(principal)}</span>
      </>
    ),
  },
  { name: 'Message', cell: ({ message }) => <pre className="message-text">{textOf(message)}</pre> },
  { name: 'Sent', isMinor: true, cell: ({ sentAt }) => <Moment at={sentAt} /> },
];

/** The newest messages of a channel, a form that sends one, and a button that deletes the channel. */
export function ChannelPage({ channel }: { readonly channel: string }) {
  const query = useQuery({ ...channelMessagesQuery(channel), refetchInterval: refreshMs });
  return (
    <>
      <PageHeader
        title={printable(channel)}
        parent={<Link href="/channels">Channels</Link>}
        lead="The newest messages. Reading them here moves no agent."
      >
        <DeleteChannel channel={channel} />
      </PageHeader>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={Radio} title="No message">
              This channel does not exist yet. A message creates it.
            </EmptyState>
          ) : (
            <DataTable label="Messages" columns={columns} rows={items} keyOf={({ number }) => String(number)} />
          )
        }
      </Loaded>
      <SendForm channel={channel} />
    </>
  );
}

function SendForm({ channel }: { readonly channel: string }) {
  const [text, setText] = useState('');
  const client = useQueryClient();
  const tell = useTell();
  const send = useMutation({
    mutationFn: (message: string) => ravi.channels.send(channel, { message }),
    onSuccess: () => setText(''),
    onError: (error) => tell(error.message),
    onSettled: () => client.invalidateQueries({ queryKey: ['channels'] }),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (text.trim() !== '' && !send.isPending) send.mutate(text);
  }

  return (
    <form className="channel-form" onSubmit={submit}>
      <LabelledField id="channel-message" label="Message" isRequired>
        <textarea id="channel-message" rows={2} value={text} onChange={({ target }) => setText(target.value)} />
      </LabelledField>
      <Button type="submit" variant="primary" icon={Send} isBusy={send.isPending}>
        Send
      </Button>
    </form>
  );
}

function DeleteChannel({ channel }: { readonly channel: string }) {
  const [isAsking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const tell = useTell();
  const remove = useMutation({
    mutationFn: () => ravi.channels.delete(channel),
    onSuccess: () => navigate('/channels'),
    onError: (error) => tell(error.message),
    onSettled: () => client.invalidateQueries({ queryKey: ['channels'] }),
  });
  if (!isAsking) {
    return (
      <Button icon={Trash2} onClick={() => setAsking(true)}>
        Delete
      </Button>
    );
  }
  return (
    <>
      <Button variant="danger" icon={Trash2} isBusy={remove.isPending} onClick={() => remove.mutate()}>
        Delete all messages
      </Button>
      <Button variant="quiet" onClick={() => setAsking(false)}>
        Keep
      </Button>
    </>
  );
}

function textOf(message: ChannelMessage['message']): string {
  return printable(typeof message === 'string' ? message : JSON.stringify(message, null, 2));
}
