import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Database, inTransaction, openDatabase } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { openEmbedded } from '#db/embedded.ts';
import { newId } from '#db/ids.ts';
import { migrate } from '#db/migrate.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { workflows } from '#db/tables/assets/assets.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { composeService } from '#server/app/open-service.ts';
import { createModel } from '#server/domains/integrations/index.ts';
import { readModel } from '#server/domains/integrations/models/read-model.service.ts';
import { findDefinition } from '#server/domains/workflow/jobs/store/definitions.service.ts';
import { readConfig } from '#server/kernel/config.ts';
import type { Platform } from '#server/kernel/platform.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import {
  INVENTORY,
  inventoryDocument,
  inventoryIntegration,
  inventoryTask,
} from '../test/helpers/integrations/inventory-system.ts';
import { task, workflowOf } from '../test/helpers/workflows.ts';

/**
 * Measures the part of a job's start that looks up its workflow, with one model and with 101 of 1,000 operations each: for
 * a workflow without tasks of adapters, with some of a document, and with some of a face.
 */
const MODELS = 100;
const OPERATIONS = 1000;
const ROUNDS = 300;
const FACE = 'RacksV21';

const config = readConfig({ ALLOW_PRIVATE_TARGETS: '1' });
const log = pino({ level: 'fatal' });
// Other fields of a caller do not affect what it may write.
const ADMIN = { id: 'admin', roles: ['admin'], groups: [] } as unknown as Caller;

async function storeModel(db: Database, platform: Platform, document: object) {
  const result = readModel(JSON.stringify(document));
  if ('error' in result) throw new Error(JSON.stringify(result.error));
  const { read } = result;
  const ctx = { platform, principal: ADMIN, request: { ifMatch: null }, answer: { headers: {} } };
  await inTransaction(db, (tx) => createModel({ ...ctx, db: tx }, read));
}

const paths = Object.fromEntries(
  Array.from({ length: OPERATIONS }, (_, at) => [
    `/things/${at}/{id}`,
    {
      get: {
        operationId: `get_thing_${at}`,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {},
      },
    },
  ]),
);

const FLOWS = {
  'no task of an adapter': workflowOf('None', {
    a1: task('newVariable', { name: 'a', value: 1 }, { value: null }),
  }),
  'three tasks of a document': workflowOf('Document', {
    a1: inventoryTask('dcim_devices_list'),
    b2: inventoryTask('dcim_devices_create', { requestBodyPayload: {} }),
    c3: inventoryTask('dcim_devices_retrieve', { id: 1 }),
  }),
  'two tasks of a face': workflowOf('Face', {
    a1: inventoryTask('getDcimDevices', { perPage: 1 }, { result: null }, FACE),
    b2: inventoryTask('getDcimDevicesId', { id: 1 }, { result: null }, FACE),
  }),
};

/** Opens a database with the model that the workflows use, and so many others. */
async function openWorld(others: number) {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
  const { connection, close } = await openEmbedded({ dataDir: folder, log: () => {} });
  await migrate(connection);
  const opened = openDatabase({ connection });
  const { db } = opened;
  const { platform } = composeService({ config, db, vault: openVault(randomBytes(32)), log });
  await storeModel(db, platform, inventoryDocument());
  for (let at = 0; at < others; at += 1) {
    await storeModel(db, platform, { openapi: '3.0.3', info: { title: `Model ${at}`, version: '1' }, paths });
  }
  const { properties } = inventoryIntegration(1, { face: { type: FACE } });
  const model = `@switchyard/adapter_${INVENTORY}`;
  await insert(db, adapters, 'racks', { ...properties, model } as never);
  for (const flow of Object.values(FLOWS)) {
    const id = newId();
    await insert(db, workflows, id, { ...flow, _id: id } as unknown as Workflow);
  }
  const end = async () => {
    await opened.close();
    await close();
    await rm(folder, { recursive: true, force: true });
  };
  return { db, end };
}

async function timeOf(db: Database, name: string): Promise<number> {
  const began = performance.now();
  const definition = await findDefinition(db, { name });
  if (!definition || definition.errors.length > 0) throw new Error(JSON.stringify(definition?.errors));
  return performance.now() - began;
}

const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

const few = await openWorld(0);
const many = await openWorld(MODELS);
try {
  for (const [what, { name }] of Object.entries(FLOWS)) {
    const times: { few: number[]; many: number[] } = { few: [], many: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.few.push(await timeOf(few.db, name));
      times.many.push(await timeOf(many.db, name));
    }
    const [one, more] = [median(times.few), median(times.many)];
    process.stdout.write(
      `start, ${what}: ${one.toFixed(2)} ms with 1 model, ${more.toFixed(2)} ms with ${MODELS + 1}, ratio ${(more / one).toFixed(2)}\n`,
    );
  }
} finally {
  await few.end();
  await many.end();
}
