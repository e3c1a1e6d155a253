import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { openMetrics } from '#server/kernel/observability/metrics.ts';
import packageJson from '../../package.json' with { type: 'json' };

const read = (path: string) => readFileSync(join('deploy', path), 'utf8');
const CHART = 'helm/switchyard';

/** Returns the program of a script of npm, which takes the place of the shell that npm starts. */
const programOf = (script: string) => script.replace(/^exec /, '');

/** The variables of docs/operations.md. */
const documented = new Set(
  [...readFileSync('docs/operations.md', 'utf8').matchAll(/^\| (`[^|]*`) *\|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([A-Z][A-Z_0-9]+)`/g)].map(([, name = '']) => name),
  ),
);

test('the image runs without root, has a health check, and starts what npm start starts', () => {
  const lines = read('container/Containerfile').split('\n');
  expect(lines).toContain('USER 10001:10001');
  const last = lines.findLastIndex((line) => line.startsWith('FROM '));
  expect(lines.findIndex((line) => line.startsWith('USER '))).toBeGreaterThan(last);
  const text = lines.join('\n');
  const [, check = ''] = /HEALTHCHECK .* CMD \["node", "([^"]+)"\]/.exec(text) ?? [];
  expect(existsSync(check)).toBe(true);
  const [, entry = ''] = /ENTRYPOINT (\[.*\])/.exec(text) ?? [];
  expect((JSON.parse(entry) as string[]).join(' ')).toBe(programOf(packageJson.scripts.start));
  expect(text).toContain('SOURCE_DATE_EPOCH');
});

test('the scripts are valid shell, and the build names the missing tool', () => {
  const script = 'deploy/container/build.sh';
  expect(statSync(script).mode & 0o111).toBeTruthy();
  execFileSync('bash', ['-n', script]);
});

test('the Compose file starts the database first, and every process with a read-only root file system', () => {
  const { services } = parse(read('container/compose.yaml'), { merge: true }) as {
    services: Record<string, Record<string, unknown> & { environment: Record<string, string> }>;
  };
  expect(Object.keys(services)).toEqual(['database', 'switchyard', 'worker']);
  for (const name of ['switchyard', 'worker']) {
    const service = services[name];
    expect(service).toMatchObject({
      init: true,
      read_only: true,
      cap_drop: ['ALL'],
      depends_on: { database: { condition: 'service_healthy' } },
    });
    for (const variable of Object.keys(service?.environment ?? {})) expect(documented).toContain(variable);
  }
  expect(services.worker).toMatchObject({ command: ['worker'] });
  expect(String(services.switchyard?.image)).toContain(packageJson.version);
});

const hasHelm = spawnSync('helm', ['version']).error === undefined;
test.skipIf(!hasHelm)(
  'a number in the values of the chart, and a name of digits, stay as they were written',
  () => {
    const values = [
      ...[
        '--kube-version',
        '1.33.0',
        '--set-string',
        'existingSecret=0123,tlsSecret=0456,ingress.tlsSecret=0789',
      ],
      ...[
        '--set-json',
        'env={"EVENTS_KEPT":2000000,"TELEMETRY_RATIO":0.25,"OIDC_CLIENT_ID":"0042","ON":true}',
      ],
      ...['--set-json', 'image.tag=20261130', '--set', 'ingress.enabled=true'],
    ];
    const objects = execFileSync('helm', ['template', 'trial', join('deploy', CHART), ...values], {
      encoding: 'utf8',
    });
    for (const shown of [
      'image: "switchyard:20261130"',
      '{ name: "EVENTS_KEPT", value: "2000000" }',
      '{ name: "TELEMETRY_RATIO", value: "0.25" }',
      '{ name: "OIDC_CLIENT_ID", value: "0042" }',
      '{ name: "ON", value: "true" }',
      'secretRef: { name: "0123" }',
      'secretName: "0456"',
      'secretName: "0789"',
    ]) {
      expect(objects).toContain(shown);
    }
  },
);

test.skipIf(!hasHelm)(
  'a changed secret of the chart restarts its pods, and annotations of the values stay',
  () => {
    const annotationsWith = (key: string, ...more: string[]) => {
      const values = `secret.databaseUrl=postgres://db.example/x,secret.secretKey=${key},podAnnotations.team=net`;
      const objects = execFileSync(
        'helm',
        ['template', 't', join('deploy', CHART), '--kube-version', '1.33.0', '--set', values, ...more],
        { encoding: 'utf8' },
      );
      return parseAllDocuments(objects)
        .map(
          (one) =>
            one.toJS() as { kind?: string; spec?: { template?: { metadata: { annotations: object } } } },
        )
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ spec }) => spec?.template?.metadata.annotations);
    };
    const [server, worker] = annotationsWith('one');
    expect(server).toEqual({ team: 'net', 'checksum/secret': expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(worker).toEqual(server);
    expect(annotationsWith('one')).toEqual([server, worker]);
    expect(annotationsWith('two')).not.toContainEqual(server);
    // A secret that the chart does not make is not known to it.
    expect(annotationsWith('one', '--set', 'existingSecret=mine')[0]).toEqual({ team: 'net' });
  },
);

test('no pod has the service as its first process, which would keep the processes that others leave behind', () => {
  const [, pod = ''] =
    /define "switchyard\.pod" -\}\}\n([\s\S]*?)\{\{- end -\}\}/.exec(
      read(`${CHART}/templates/_helpers.tpl`),
    ) ?? [];
  expect(pod.split('\n')).toContain('shareProcessNamespace: true');
  for (const kind of ['server', 'worker'])
    expect(read(`${CHART}/templates/${kind}.yaml`)).toContain('include "switchyard.pod"');
});

test('the templates of the chart use values that exist, and close what they open', () => {
  const values = parse(read(`${CHART}/values.yaml`)) as Record<string, unknown>;
  const chart = parse(read(`${CHART}/Chart.yaml`)) as Record<string, unknown>;
  expect(chart).toMatchObject({ apiVersion: 'v2', appVersion: packageJson.version });
  const valueAt = (path: string) =>
    path
      .split('.')
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], values);
  const templates = readdirSync(join('deploy', CHART, 'templates'));
  expect(templates).toHaveLength(7);
  const all = templates.map((name) => read(`${CHART}/templates/${name}`)).join('\n');
  const defined = [...all.matchAll(/define "([^"]+)"/g)].map(([, name]) => name);
  for (const [, name] of all.matchAll(/include "([^"]+)"/g)) expect(defined).toContain(name);
  const used = [...all.matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, path = '']) => path);
  for (const path of used) expect([path, valueAt(path)]).not.toEqual([path, undefined]);
  const opened = all.match(/\{\{-? *(if|with|range|define) /g)?.length;
  expect(all.match(/\{\{-? *end *-?\}\}/g)).toHaveLength(opened ?? 0);
  for (const variable of Object.keys(values.env as object)) expect(documented).toContain(variable);
  expect(all).toContain('readOnlyRootFilesystem: true');
});

test('the image, the Compose file, the chart and the units set variables that exist, and the same port', () => {
  const image = read('container/Containerfile');
  const chart = readdirSync(join('deploy', CHART, 'templates')).map((name) =>
    read(`${CHART}/templates/${name}`),
  );
  const compose = read('container/compose.yaml');
  const set = [
    ...[...image.matchAll(/^ENV (.*)$/gm)].flatMap(([, pairs = '']) =>
      [...pairs.matchAll(/(\w+)=/g)].map(([, name]) => name),
    ),
    ...[...chart.join('\n').matchAll(/\bname: ([A-Z][A-Z_]+)\b/g)].map(([, name]) => name),
  ];
  expect(set).toEqual(expect.arrayContaining(['HOST', 'PORT', 'DATA_DIR', 'WORKERS', 'TLS_CERT']));
  for (const name of new Set(set)) expect([...documented, 'NODE_ENV', 'SOURCE_DATE_EPOCH']).toContain(name);
  const ports = [
    /^EXPOSE (\d+)$/m.exec(image)?.[1],
    /\bPORT=(\d+)/.exec(image)?.[1],
    /PUBLISHED_PORT:-\d+\}:(\d+)"/.exec(compose)?.[1],
    /^ +PORT: "(\d+)"$/m.exec(compose)?.[1],
    /containerPort: (\d+)/.exec(chart.join('\n'))?.[1],
    /name: PORT, value: "(\d+)"/.exec(chart.join('\n'))?.[1],
    /^PORT=(\d+)$/m.exec(read('systemd/switchyard.env'))?.[1],
  ];
  expect(ports).toEqual(ports.map(() => '3000'));
});

test('the systemd units start what npm start and npm run worker start, and systemd accepts them', () => {
  const settings = (name: string) =>
    Object.fromEntries(
      read(`systemd/${name}`)
        .split('\n')
        .filter((line) => /^[A-Z]\w+=/.test(line))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  const service = settings('switchyard.service');
  const worker = settings('switchyard-worker@.service');
  expect(service.ExecStart).toBe(`/usr/bin/${programOf(packageJson.scripts.start)}`);
  expect(worker.ExecStart).toBe(`/usr/bin/${programOf(packageJson.scripts.worker)}`);
  for (const unit of [service, worker]) {
    expect(unit).toMatchObject({
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      CapabilityBoundingSet: '',
    });
    expect(unit.RestartPreventExitStatus).toBe('78');
  }
  const [, ...variables] = read('systemd/switchyard.env').split('\n');
  for (const line of variables) {
    const [, name] = /^#?([A-Z_]+)=/.exec(line) ?? [];
    if (name) expect(documented).toContain(name);
  }
  const checked = spawnSync('systemd-analyze', ['verify', '--man=no', 'deploy/systemd/switchyard.service'], {
    encoding: 'utf8',
  });
  if (checked.error) return console.log('systemd-analyze is absent: the units are not verified');
  const complaints = checked.stderr
    .split('\n')
    // The machine of the tests need not have node there.
    .filter((line) => line.includes('switchyard.service') && !line.includes('is not executable'));
  expect(complaints).toEqual([]);
});

test('alert rules and dashboards use metrics that the service has', async () => {
  const metrics = await openMetrics(async () => undefined).text();
  const known = new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  const { groups } = parse(read('monitoring/alerts.yml')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const dashboards = ['service', 'work'].map(
    (name) =>
      JSON.parse(read(`monitoring/dashboard-${name}.json`)) as { panels: { targets: { expr: string }[] }[] },
  );
  const expressions = [
    ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))),
  ];
  expect(expressions.length).toBeGreaterThan(12);
  for (const expression of expressions) {
    const names = [...expression.matchAll(/\b([a-z]+_[a-z0-9_]+)\b/g)].map(([, name = '']) => name);
    for (const name of names) expect(known, expression).toContain(name);
  }
});
