import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';

const defaultHost = 'unix:///var/run/docker.sock';

/** Makes an image of a folder, like `tar | docker import - name` but without the Docker client. */
export async function importImage(folder: string, name: string): Promise<void> {
  const tar = spawn('tar', ['--create', '--owner=0', '--group=0', '--directory', folder, '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const query = new URLSearchParams({ fromSrc: '-', repo: name });
  const answer = await post(`/images/create?${query}`, tar.stdout);
  // The engine reports a failure in the last line of a response with status 200.
  if (answer.includes('"error"')) throw new Error(`${name} could not be imported: ${answer}`);
}

function post(path: string, body: Readable): Promise<string> {
  const host = process.env['DOCKER_HOST'] ?? defaultHost;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const sent = request({ socketPath: host.replace(/^unix:\/\//, ''), method: 'POST', path }, (response) => {
    void text(response).then(
      (answer) => (response.statusCode === 200 ? resolve(answer) : reject(new Error(answer))),
      reject,
    );
  });
  sent.setHeader('content-type', 'application/x-tar');
  sent.once('error', reject);
  body.pipe(sent);
  return promise;
}
