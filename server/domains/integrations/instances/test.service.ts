import { eq } from 'drizzle-orm';
import { adapters } from '#db/tables/integrations/adapters.ts';
import {
  inConnection,
  isIntegration,
  readAdapters,
  takeAdapter,
  testAdapter,
  withConnection,
} from '#server/domains/network/index.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { notFound, ServiceError } from '#server/kernel/errors.ts';
import { elapsedMs } from '#server/kernel/timing/elapsed.ts';
import { callIntegration } from '../calls/call.service.ts';
import { type OpenIntegration, openRow } from '../calls/integration.service.ts';
import { isTokenScheme, usableSchemes } from '../calls/security.ts';
import { httpTargetOf, signIn } from '../calls/send.service.ts';
import { credentialsOf, originOf, settingsOf } from '../calls/target.ts';
import { findOperations, operationKey } from '../models/lookup.service.ts';
import { testPackage } from '../packages/package-state.service.ts';
import { findAdapterType } from './adapter-types.service.ts';
import { integrationRow } from './instances.service.ts';

/** The subject of a test: the connection, with settings merged into it, or a task through it. */
export type TestRequest = {
  properties?: Readonly<Record<string, unknown>> | undefined;
  task?: string | undefined;
  values?: Readonly<Record<string, unknown>> | undefined;
};

/** The outcome; `status` is that of the task's response, null without one. */
export type TestOutcome = { ok: boolean; latencyMs: number; status: number | null; detail: string };

/**
 * Tries an integration, started or not; nothing is stored. Without a task it connects, with TLS, and requests the tokens of
 * schemes that have them.
 *
 * @throws ServiceError NOT_FOUND; BAD_REQUEST for settings that could not be stored, or values that cannot be sent
 */
export async function testIntegration(
  call: DeviceContext,
  name: string,
  { properties, task, values }: TestRequest,
): Promise<TestOutcome> {
  const { db, platform } = call;
  const row = await integrationRow(call, name);
  const type = await findAdapterType(db, row.doc.properties.type);
  const document = properties
    ? takeAdapter(platform, withConnection(row.doc, properties), row.doc, inConnection, type).document
    : row.doc;
  const integration = await openRow(call, row, document);
  const began = performance.now();
  const outcome = (ok: boolean, status: number | null, detail: string): TestOutcome => ({
    ok,
    latencyMs: elapsedMs(began),
    status,
    detail,
  });
  try {
    if (task === undefined) {
      await connect(call, integration);
      return outcome(true, null, 'It answers');
    }
    const { ok, status } = await callTask(call, integration, task, values ?? {});
    return outcome(ok, status, `It answers with status ${status}`);
  } catch (error) {
    const isOutcome = error instanceof ServiceError && (error.extra?.reason || error.code === 'CONFLICT');
    if (!isOutcome) throw error;
    const { status } = error.extra ?? {};
    return outcome(false, typeof status === 'number' ? status : null, error.message);
  }
}

async function connect(call: DeviceContext, integration: OpenIntegration) {
  const { name, connection, schemes } = integration;
  const origin = originOf(connection);
  if (origin === null) {
    throw new ServiceError('CONFLICT', `${name} has no host: set properties.server.host of its connection`);
  }
  const settings = settingsOf(connection);
  const signal = call.request.gone();
  const target = httpTargetOf(integration, settings.timeouts, false);
  await call.platform.http.connect(target, new URL(origin), signal);
  const fetched = usableSchemes(schemes, credentialsOf(connection)).filter((scheme) => {
    const known = schemes[scheme];
    return known !== undefined && isTokenScheme(known);
  });
  await signIn(call, { integration, settings, schemes: fetched, signal });
}

async function callTask(
  call: DeviceContext,
  integration: OpenIntegration,
  task: string,
  values: Readonly<Record<string, unknown>>,
) {
  const wanted = { versionId: integration.row.doc.properties.type, name: task };
  const operation = (await findOperations(call.db, [wanted])).get(operationKey(wanted));
  if (!operation) throw notFound('Task', `${task} of ${wanted.versionId}`);
  return callIntegration(call, integration, operation, values, {
    key: call.request.id,
    signal: call.request.gone(),
  });
}

/**
 * Tries the connection of an adapter of any type.
 *
 * @returns `ok`; `latencyMs`: duration in milliseconds; `detail`: the problem, or that the system responds
 * @throws ServiceError as testAdapter of the network domain
 */
export async function testAnyAdapter(
  call: DeviceContext,
  name: string,
  properties: TestRequest['properties'],
) {
  const [row] = await readAdapters(call.db, eq(adapters.id, name));
  if (!row || !isIntegration(row.doc))
    return (row && (await testPackage(call, row))) ?? testAdapter(call, name, properties);
  const { ok, latencyMs, detail } = await testIntegration(call, name, { properties });
  return { ok, latencyMs, detail };
}
