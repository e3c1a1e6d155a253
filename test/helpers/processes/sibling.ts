import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { listen } from '#db/connections/listen.ts';
import type { Connection } from '#db/embedded.ts';
import { composeService } from '#server/app/open-service.ts';
import { readConfig } from '#server/kernel/config.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { recordStatuses } from '../http/declared-statuses.ts';

/** A second service on the database of the first, as another server process would be: it shares nothing else. */
export async function openSibling({ connection, vault }: { connection: Connection; vault: Vault }) {
  const log = pino({ level: 'warn' }, { write: () => {} });
  const { db, close } = openDatabase({ connection, max: 5 });
  const { server, platform, channels } = composeService({ config: readConfig({}), db, vault, log });
  recordStatuses(platform.metrics);
  const deafen = await listen(connection, channels);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await deafen();
    await close();
  });
  return { platform, url: `http://127.0.0.1:${port}` };
}
