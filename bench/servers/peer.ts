import postgres from 'postgres';
import { openEmbedded } from '#db/embedded.ts';

/** Opens the database of the service that is measured beside this peer: the same server, the same documents. */
export async function openPeerDatabase(max = 20) {
  const { connection } = await openEmbedded({
    dataDir: process.env.BENCH_DATA_DIR ?? '',
    log: () => undefined,
  });
  return postgres({ ...connection, max, onnotice: () => undefined });
}

/** Tells the benchmark where this peer listens. */
export const printPort = (port: number) => process.stdout.write(`listening on http://127.0.0.1:${port}\n`);

process.on('SIGTERM', () => process.exit(0));
