import { afterAll, expect, test } from 'vitest';
import { openReceiver } from '../helpers/otlp-receiver.ts';
import { asAdminOf, openLaunching, stopInTime } from '../helpers/processes/launched-service.ts';
import { until } from '../helpers/processes/processes.ts';
import { task, variable, workflowOf } from '../helpers/workflows.ts';
import { SCRIPTS } from '../lab/devices/scripts.ts';
import { ACCOUNT, openDevice } from '../lab/devices/simulator.ts';

const { launch } = openLaunching();
const receiver = await openReceiver();
const script = SCRIPTS.find(({ device_type }) => device_type === 'cisco_ios');
if (!script) throw new Error('no such device');
const device = await openDevice(script);
afterAll(async () => {
  receiver.close();
  await device.close();
});

const SECRET = 'token-of-the-receiver';
const spanNamed = (name: string) =>
  until(`a span ${name}`, () => receiver.received.spans.find((span) => span.name === name));

test('a request, its job, the task and the session with the device are one trace, and metrics are exported', async () => {
  const { child, url, folder, errors } = await launch({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRET}`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=trial',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
    },
  });
  const done = await asAdminOf(url);
  const { username, password, enable } = ACCOUNT;
  await done('POST', '/automationgateway/inventory/cli', {
    host: {
      ...{ name: 'traced-1', host: '127.0.0.1', port: device.port, device_type: 'cisco_ios' },
      ...{ username, password, enablePassword: enable },
    },
  });
  const command = task(
    'RunCommand',
    { command: 'show version', device: 'traced-1', variables: {} },
    { result: '$var.job.answer' },
    { app: 'MOP', type: 'automatic' },
  );
  await done('POST', '/automation-studio/automations', {
    automation: workflowOf('Traced', { a: variable('first', 'a value that is private'), b: command }),
  });
  const { data: job } = await done<{ data: { _id: string } }>('POST', '/operations-manager/jobs/start', {
    workflow: 'Traced',
    options: { variables: {} },
  });

  const session = await spanNamed('device session run');
  const run = await spanNamed('task MOP.RunCommand');
  const request = await spanNamed('POST /operations-manager/jobs/start');
  const work = await until(
    'the work of the job',
    () =>
      receiver.received.spans.find((span) => span.name === 'work jobs' && span.spanId === run.parentSpanId),
    30,
  );
  expect(new Set([session, run, request, work].map(({ traceId }) => traceId)).size).toBe(1);
  expect(session.parentSpanId).toBe(run.spanId);
  expect(work.parentSpanId).toBe(request.spanId);
  expect(request.parentSpanId).toBeUndefined();
  expect([request, work, run, session].map(({ kind }) => kind)).toEqual([2, 5, 1, 3]);
  expect(request.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/operations-manager/jobs/start',
    'http.response.status_code': 200,
    'switchyard.account': 'admin',
  });
  expect(run.attributes).toMatchObject({ 'switchyard.job.id': job._id, 'switchyard.task.id': 'b' });
  expect(session.attributes).toEqual({
    'switchyard.device': 'traced-1',
    'switchyard.device.type': 'cisco_ios',
  });

  await until(
    'metrics',
    () => receiver.received.metrics.find(({ name }) => name === 'http_requests_total'),
    30,
  );
  const ssh = await until(
    'the call over SSH',
    () =>
      receiver.received.metrics.find(
        ({ name, sum }) =>
          name === 'ssh_calls_total' && sum?.dataPoints.some(({ asDouble }) => asDouble === 1),
      ),
    30,
  );
  expect(ssh.sum).toMatchObject({ aggregationTemporality: 2, isMonotonic: true });
  const durations = receiver.received.metrics.findLast(
    ({ name }) => name === 'http_request_duration_seconds',
  );
  for (const { count, bucketCounts, explicitBounds } of durations?.histogram?.dataPoints ?? []) {
    expect(bucketCounts).toHaveLength(explicitBounds.length + 1);
    expect(bucketCounts.reduce((sum, one) => sum + Number(one), 0)).toBe(Number(count));
  }

  await stopInTime(child, folder);
  expect(receiver.received.faults).toEqual([]);
  expect(receiver.received.resources[0]).toMatchObject({
    'service.name': 'switchyard',
    'deployment.environment.name': 'trial',
  });
  expect(receiver.received.headers[0]).toMatchObject({ authorization: `Bearer ${SECRET}` });
  const spans = JSON.stringify(receiver.received.spans);
  for (const hidden of [SECRET, password, enable, 'a value that is private', 'show version'])
    expect(spans).not.toContain(hidden);
  expect(errors.join('\n')).not.toContain(SECRET);
});

test('a receiver that answers 500 is reported in the log without its headers, and requests are answered meanwhile', async () => {
  receiver.received.status = 500;
  const { child, url, folder, errors } = await launch({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${SECRET}`,
    },
  });
  const done = await asAdminOf(url);
  await done('GET', '/whoami');
  const line = await until('a warning', () => errors.find((one) => one.includes('OpenTelemetry')));
  expect(JSON.parse(line)).toMatchObject({ level: 'warn', path: '/v1/traces', reason: 'status 500' });
  await done('GET', '/whoami');
  expect(errors.join('\n')).not.toContain(SECRET);
  await stopInTime(child, folder);
});
