import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMonolith, serve } from '@ravi/monolith';
import { test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { exists, read } from '../src/repository.ts';

interface Probe {
  readonly path: string;
  readonly port: string;
  readonly httpHeaders: readonly { readonly name: string; readonly value: string }[];
}

// oxlint-disable-next-line typescript/no-explicit-any -- manifests of several kinds; what is read of them is asserted
const manifests: readonly any[] = parseAllDocuments(read('deploy/kubernetes/ravi.yaml')).map((document) => {
  assert.deepEqual(document.errors, []);
  return document.toJS();
});
// oxlint-disable-next-line typescript/no-explicit-any -- manifests of several kinds; what is read of them is asserted
const ofKind = (kind: string): any => manifests.find((manifest) => manifest.kind === kind);

test('the image copies existing paths, with the versions of the repository', () => {
  const dockerfile = read('deploy/container/Dockerfile');
  const { packageManager, devDependencies } = JSON.parse(read('package.json'));
  const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, sources = '']) =>
    sources.split(' '),
  );
  assert.ok(copied.flat().length >= 8);
  for (const path of copied.flat()) assert.ok(exists(path), path);
  const [, preload = '', entry = ''] =
    /^ENTRYPOINT \["node", "--import", "\/opt\/ravi\/([^"]+)", "\/opt\/ravi\/([^"]+)"\]$/m.exec(dockerfile) ?? [];
  assert.ok(exists(preload) && exists(entry), `${preload} ${entry}`);
  const [, builder = ''] = /&& node (\S+)$/m.exec(dockerfile) ?? [];
  assert.ok(exists(builder), builder);
  for (const [, version] of dockerfile.matchAll(/^FROM node:([\d.]+)-/gm)) assert.equal(version, devDependencies.node);
  for (const [, version] of dockerfile.matchAll(/npx -y (pnpm@\S+)/g)) assert.equal(version, packageManager);
});

test('the systemd unit starts an existing program, and gives the server enough time to shut down', () => {
  const unit = read('deploy/systemd/ravi.service');
  const sections = Array.from(unit.matchAll(/^\[(\w+)\]$/gm), ([, name]) => name);
  assert.deepEqual(sections, ['Unit', 'Service', 'Install']);
  const lines = unit.split('\n').filter((line) => line !== '' && !/^[#[]/.test(line));
  for (const line of lines) assert.match(line, /^[A-Z][A-Za-z]+=/);
  const start = /^ExecStart=\/opt\/ravi\/node_modules\/\.bin\/node --import \/opt\/ravi\/(\S+) \/opt\/ravi\/(\S+)$/m;
  const [, preload = '', entry = ''] = start.exec(unit) ?? [];
  assert.ok(exists(preload) && exists(entry), `${preload} ${entry}`);
  // Exit code 1 is retried for ever, 2 never: docs/deploy.md says why.
  for (const line of ['Restart=on-failure', 'RestartPreventExitStatus=2', 'StartLimitIntervalSec=0']) {
    assert.ok(lines.includes(line), line);
  }
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > 10);
});

test('the manifests name one another, and grant a pod nothing', () => {
  assert.deepEqual(
    manifests.map(({ kind }) => kind),
    ['ConfigMap', 'PersistentVolumeClaim', 'Deployment', 'Service'],
  );
  for (const { apiVersion, metadata } of manifests)
    assert.deepEqual([typeof apiVersion, metadata.name], ['string', 'ravi']);
  const { template, selector, replicas } = ofKind('Deployment').spec;
  const [container] = template.spec.containers;
  assert.deepEqual(selector.matchLabels, template.metadata.labels);
  assert.deepEqual(ofKind('Service').spec.selector, selector.matchLabels);
  assert.equal(replicas, 1);
  const mounted = container.volumeMounts.map((mount: { readonly name: string }) => mount.name);
  assert.deepEqual(
    mounted,
    template.spec.volumes.map((volume: { readonly name: string }) => volume.name),
  );
  assert.equal(container.securityContext.allowPrivilegeEscalation, false);
  assert.ok(template.spec.terminationGracePeriodSeconds > 10);
});

test('a server with the configuration of the manifest answers the probes of the manifest, and no one without a token', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-deploy-'));
  try {
    const text: string = ofKind('ConfigMap').data['ravi.config.json'];
    const configPath = join(folder, 'ravi.config.json');
    await writeFile(configPath, text);
    const env = { RAVI_TOKEN_ADA: '0123456789abcdef'.repeat(4), RAVI_DATA: folder };
    await using monolith = await openMonolith({ cwd: folder, configPath, env, isServer: true });
    await using server = await serve(monolith, { host: '127.0.0.1', port: 0, graceMs: 0 });
    const { port } = new URL(server.url);

    const [container] = ofKind('Deployment').spec.template.spec.containers;
    assert.equal(container.ports[0].containerPort, JSON.parse(text).server.port);
    for (const probe of [container.livenessProbe, container.readinessProbe]) {
      const { path, httpHeaders } = probe.httpGet as Probe;
      const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
      assert.equal(await statusOf({ port, path, headers }), 200, path);
    }
    const host = 'ravi.example';
    assert.equal(await statusOf({ port, path: '/v1/tools', headers: { host } }), 401);
    const authorization = `Bearer ${env.RAVI_TOKEN_ADA}`;
    assert.equal(await statusOf({ port, path: '/v1/tools', headers: { host, authorization } }), 200);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

// Not fetch: it sets Host itself.
function statusOf(options: {
  readonly port: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', agent: false, ...options }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
