/** Options of {@link watchTools}. */
export interface WatchToolsOptions {
  /** Address of the server. */
  readonly url: string;
  readonly token: string | undefined;
  /** Called after the list of tools has changed. */
  readonly onChange: () => void;
}

// An unchanged list is not sent again, so a look is cheap.
const everyMs = 5_000;

/**
 * Looks for changes of the tools of a server until it is stopped, also after a time in which the server was away. Returns a function that
 * stops it.
 */
export function watchTools({ url, token, onChange }: WatchToolsOptions): () => void {
  const address = new URL('/v1/tools', url);
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  let known: string | undefined;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    try {
      const headers = { ...authorization, ...(known === undefined ? {} : { 'if-none-match': known }) };
      const response = await fetch(address, { headers, signal: AbortSignal.timeout(everyMs) });
      await response.body?.cancel();
      const tag = response.status === 200 ? response.headers.get('etag') : null;
      if (tag !== null && known !== undefined && tag !== known && !isStopped) onChange();
      known = tag ?? known;
    } catch {
      // It is away, or starts again.
    }
    if (!isStopped) timer = setTimeout(() => void look(), everyMs).unref();
  }

  void look();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
