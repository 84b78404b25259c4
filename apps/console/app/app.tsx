import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Compass } from 'lucide-react';
import { useState } from 'react';
import { Link, Redirect, Route, Router, Switch } from 'wouter';
import { RaviApiError } from '@ravi/client';
import { basePath } from './api/client.ts';
import { AgentsPage } from './agents/agents-page.tsx';
import { ArtifactPage } from './artifacts/artifact-page.tsx';
import { ArtifactsPage } from './artifacts/artifact-list.tsx';
import { BudgetsPage } from './budgets/budgets-page.tsx';
import { ChannelPage } from './channels/channel-page.tsx';
import { ChannelsPage } from './channels/channels-page.tsx';
import { ChatPage } from './chat/chat-page.tsx';
import { InboxPage } from './inbox/inbox-page.tsx';
import { JobsPage } from './jobs/jobs-page.tsx';
import { MemoriesPage } from './memories/memories-page.tsx';
import { QueuePage } from './queue/queue-page.tsx';
import { RunPage } from './runs/run-page.tsx';
import { RunsPage } from './runs/runs-page.tsx';
import { ServersPage } from './servers/servers-page.tsx';
import { SignInCallback } from './servers/sign-in-callback.tsx';
import { SettingsPage } from './settings/settings-page.tsx';
import { Needs } from './shell/needs.tsx';
import { Shell } from './shell/shell.tsx';
import { SignInPage } from './shell/sign-in-page.tsx';
import { ToolPage } from './tools/tool-page.tsx';
import { ToolsPage } from './tools/tools-page.tsx';
import { TriggerPage } from './triggers/trigger-page.tsx';
import { TriggersPage } from './triggers/triggers-page.tsx';
import { EmptyState } from './ui/loaded.tsx';
import { PageHeader } from './ui/page-header.tsx';
import { ToastRegion } from './ui/toasts.tsx';

/** The whole console. */
export function App() {
  const [isSignedOut, setSignedOut] = useState(false);
  const [client] = useState(() => createClient(() => setSignedOut(true)));

  function onSignedIn(): void {
    setSignedOut(false);
    client.clear();
  }

  return (
    <QueryClientProvider client={client}>
      <ToastRegion>
        <Router base={basePath}>
          {isSignedOut ? (
            <SignInPage onSignedIn={onSignedIn} />
          ) : (
            <Shell>
              <Pages />
            </Shell>
          )}
        </Router>
      </ToastRegion>
    </QueryClientProvider>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/">
        <Redirect to="/runs" replace />
      </Route>
      <Route path="/inbox">
        {() => (
          <Needs part="approvals" title="Inbox">
            <InboxPage />
          </Needs>
        )}
      </Route>
      <Route path="/runs">
        {() => (
          <Needs part="runs" title="Runs">
            <RunsPage />
          </Needs>
        )}
      </Route>
      <Route path="/runs/:id">
        {({ id }) => (
          <Needs part="runs" title="Run">
            <RunPage key={id} id={id} />
          </Needs>
        )}
      </Route>
      <Route path="/chat">
        {() => (
          <Needs part="runs" title="Chat">
            <ChatPage key="new" />
          </Needs>
        )}
      </Route>
      <Route path="/chat/:sessionId">
        {({ sessionId }) => (
          <Needs part="runs" title="Chat">
            <ChatPage key={sessionId} sessionId={sessionId} />
          </Needs>
        )}
      </Route>
      <Route path="/agents">
        {() => (
          <Needs part="runs" title="Agents">
            <AgentsPage />
          </Needs>
        )}
      </Route>
      <Route path="/tools" component={ToolsPage} />
      <Route path="/tools/:name">{({ name }) => <ToolPage key={name} name={name} />}</Route>
      <Route path="/servers" component={ServersPage} />
      <Route path="/servers/callback" component={SignInCallback} />
      <Route path="/artifacts">
        {() => (
          <Needs part="runs" title="Artifacts">
            <ArtifactsPage />
          </Needs>
        )}
      </Route>
      <Route path="/artifacts/:reference">
        {({ reference }) => (
          <Needs part="runs" title="Artifact">
            <ArtifactPage key={reference} reference={reference} />
          </Needs>
        )}
      </Route>
      <Route path="/jobs">
        {() => (
          <Needs part="runs" title="Jobs">
            <JobsPage />
          </Needs>
        )}
      </Route>
      <Route path="/channels">
        {() => (
          <Needs part="runs" title="Channels">
            <ChannelsPage />
          </Needs>
        )}
      </Route>
      <Route path="/channels/:channel">
        {({ channel }) => (
          <Needs part="runs" title="Channel">
            <ChannelPage key={channel} channel={channel} />
          </Needs>
        )}
      </Route>
      <Route path="/memories">
        {() => (
          <Needs part="runs" title="Memories">
            <MemoriesPage />
          </Needs>
        )}
      </Route>
      <Route path="/triggers">
        {() => (
          <Needs part="runs" title="Triggers">
            <TriggersPage />
          </Needs>
        )}
      </Route>
      <Route path="/triggers/:id">
        {({ id }) => (
          <Needs part="runs" title="Trigger">
            <TriggerPage key={id} id={id} />
          </Needs>
        )}
      </Route>
      <Route path="/budgets">
        {() => (
          <Needs part="runs" title="Budgets">
            <BudgetsPage />
          </Needs>
        )}
      </Route>
      <Route path="/queue">
        {() => (
          <Needs part="runs" title="Queue">
            <QueuePage />
          </Needs>
        )}
      </Route>
      <Route path="/settings" component={SettingsPage} />
      <Route component={NotFoundPage} />
    </Switch>
  );
}

// For an unknown address.
function NotFoundPage() {
  return (
    <>
      <PageHeader title="No such page" />
      <EmptyState icon={Compass} title="There is nothing at this address">
        <Link href="/runs">Go to the runs</Link>
      </EmptyState>
    </>
  );
}

function createClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof RaviApiError && error.status === 401) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        networkMode: 'always',
        // A refusal is final; only an unreachable server is worth another attempt.
        retry: (count, error) =>
          count < 2 && error instanceof RaviApiError && (error.status === 0 || error.status === 503),
      },
      mutations: { networkMode: 'always' },
    },
  });
}
