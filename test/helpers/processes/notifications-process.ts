import { pino } from 'pino';
import { openDatabase } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { notificationWorker } from '#server/domains/notifications/deliveries/worker.service.ts';
import { openDispatch } from '#server/domains/notifications/index.ts';
import { startEvents } from '#server/domains/workflow/index.ts';
import { startEngine } from '#server/durable/engine.ts';
import { durable } from '#server/durable/requests.ts';
import { readConfig } from '#server/kernel/config.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import { openHttp } from '#server/southbound/http/http.ts';
import { openMail } from '#server/southbound/mail/mail.ts';

/** A process that sends notifications and serves nobody: `node … <connection as JSON> <key in base64> <admin>`. */
const [connectionText = '', key = '', admin = ''] = process.argv.slice(2);
const connection = JSON.parse(connectionText) as Connection;
const log = pino({ level: 'warn' }, pino.destination(2));
const { db } = openDatabase({ connection, max: 6 });
const admins = async () => [{ group: admin }];
/** Its channels hold their secrets themselves. */
const secrets = {
  resolve: async <Value>(value: Value) => value,
  test: async () => undefined,
  close: async () => undefined,
};
const platform = {
  http: openHttp({ allowPrivateTargets: true }),
  mail: openMail({ allowPrivateTargets: true }),
  secrets,
  config: readConfig({}),
};
const vault = openVault(Buffer.from(key, 'base64'));
await startEngine({
  connection,
  log,
  workers: [notificationWorker({ db, durable, vault, admins, log, platform }, 4)],
});
await startEvents({
  db,
  log,
  kept: { most: 100_000, hours: 24 },
  others: await openDispatch({ db, durable, admins }),
});
process.stdout.write('ready\n');
