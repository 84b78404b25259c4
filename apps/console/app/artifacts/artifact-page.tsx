import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Trash2 } from 'lucide-react';
import type { Artifact } from '@ravi/api';
import { Link, useLocation } from 'wouter';
import { artifactQuery } from '../api/queries.ts';
import { contentAddress, ravi } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { DeleteDialog } from '../ui/delete-dialog.tsx';
import { Facts, Moment } from '../ui/facts.tsx';
import { formatBytes } from '../ui/format.ts';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { ArtifactPreview } from './artifact-preview.tsx';

/** One stored result with a preview. */
export function ArtifactPage({ reference }: { readonly reference: string }) {
  const query = useQuery(artifactQuery(reference));
  return (
    <>
      <PageHeader
        title={query.data?.fileName ?? 'Artifact'}
        parent={<Link href="/artifacts">Artifacts</Link>}
        lead={<code>{reference}</code>}
      >
        {query.data !== undefined && <Actions artifact={query.data} />}
      </PageHeader>
      <Loaded query={query}>
        {(artifact) => (
          <>
            <ArtifactPreview artifact={artifact} />
            <section className="panel" aria-label="About this artifact">
              <Facts
                facts={{
                  Type: artifact.mediaType,
                  Size: formatBytes(artifact.bytes),
                  ...(artifact.tool === undefined ? {} : { Tool: artifact.tool }),
                  ...(artifact.runId === undefined
                    ? {}
                    : { Run: <Link href={`/runs/${encodeURIComponent(artifact.runId)}`}>{artifact.runId}</Link> }),
                  Owner: artifact.scope.principal,
                  Session: (
                    <Link href={`/chat/${encodeURIComponent(artifact.scope.sessionId)}`}>
                      {artifact.scope.sessionId}
                    </Link>
                  ),
                  Stored: <Moment at={artifact.createdAt} />,
                  Expires: artifact.expiresAt === undefined ? 'never' : <Moment at={artifact.expiresAt} />,
                  ...(artifact.damagedAt === undefined ? {} : { 'Found damaged': <Moment at={artifact.damagedAt} /> }),
                  Pins: String(artifact.pins),
                  'SHA-256': <code className="breaking">{artifact.sha256}</code>,
                }}
              />
            </section>
          </>
        )}
      </Loaded>
    </>
  );
}

function Actions({ artifact }: { readonly artifact: Artifact }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => ravi.artifacts.delete(artifact.ref),
    onSuccess() {
      void client.invalidateQueries({ queryKey: ['artifacts'] });
      navigate('/artifacts');
    },
  });
  return (
    <>
      <a className="button primary" href={contentAddress(artifact.ref)} download={artifact.fileName}>
        <Download aria-hidden size={16} /> Download
      </a>
      <DeleteDialog
        trigger={
          <Button variant="danger" icon={Trash2}>
            Delete
          </Button>
        }
        title="Delete this artifact?"
        remove={remove}
      >
        Runs that still refer to it can no longer read it.
      </DeleteDialog>
    </>
  );
}
