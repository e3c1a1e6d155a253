import { pino } from 'pino';
import { openDatabase } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { composePlatform } from '#server/app/compose.ts';
import { callOperation, findOperations, operationKey } from '#server/domains/integrations/index.ts';
import { readConfig } from '#server/kernel/config.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';

/**
 * A process that calls an operation several times at once when it receives SIGUSR2, writes the statuses as JSON and ends:
 * `node … <connection as JSON> <key in hexadecimal> <integration> <version id> <operation> <count>`.
 */
const [given = '', key = '', integration = '', versionId = '', name = '', count = '1'] =
  process.argv.slice(2);
const connection = JSON.parse(given) as Connection;
const log = pino({ level: 'fatal' }, pino.destination(2));
const { db, close } = openDatabase({ connection, max: 8 });
const config = readConfig({ ALLOW_PRIVATE_TARGETS: '1' });
const { platform } = composePlatform({ config, db, vault: openVault(Buffer.from(key, 'hex')), log });
const wanted = { versionId, name };
const operation = (await findOperations(db, [wanted])).get(operationKey(wanted));
if (!operation) throw new Error(`no operation ${name}`);

const waiting = setInterval(() => undefined, 1000);
process.once('SIGUSR2', async () => {
  clearInterval(waiting);
  const options = { key: 'k', signal: new AbortController().signal };
  const statuses = await Promise.all(
    Array.from({ length: Number(count) }, () =>
      callOperation({ db, platform }, integration, operation, {}, options).then(
        ({ status }) => status,
        (error: Error) => error.message,
      ),
    ),
  );
  process.stdout.write(`${JSON.stringify(statuses)}\n`);
  await close();
  process.exit(0);
});
process.stdout.write('ready\n');
