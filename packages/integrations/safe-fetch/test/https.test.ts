import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { isKernelError } from '@ravi/kernel';
import { createSafeFetch } from '@ravi/safe-fetch';
import { afterAll, beforeAll, test } from 'vitest';
import { certificate } from './certificate.ts';

const known = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...known, certificate.cert]));
afterAll(() => setDefaultCACertificates(known));

test('https is checked by name, and a redirect to http is refused', async () => {
  const targets: Record<string, string> = { '/down': 'http://secure.test/', '/same': '/end' };
  const server = createServer(certificate, ({ url = '' }, response) => {
    const location = targets[url];
    response.writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { location }).end('end');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked: string[] = [];
  const lookup = async (name: string): Promise<readonly string[]> => {
    asked.push(name);
    return ['127.0.0.1'];
  };
  await using fetch = createSafeFetch({ allowPrivateAddresses: true, lookup });

  assert.equal(await (await fetch(`https://secure.test:${port}/same`)).text(), 'end');
  await assert.rejects(
    fetch(`https://secure.test:${port}/down`),
    (error) => isKernelError(error, 'E_FETCH_REFUSED') && /from https to http/.test(error.message),
  );
  assert.deepEqual(new Set(asked), new Set(['secure.test']));
  // The certificate belongs to another name.
  await assert.rejects(fetch(`https://wrong.test:${port}/`), TypeError);

  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
